/*
 * classify_rows.h - what real programs print when they fail, for test_classify.c.
 */
#ifndef DEVS_CLASSIFY_ROWS_H
#define DEVS_CLASSIFY_ROWS_H

#include "verdict.h"

struct row {
    const char *name;
    int code;
    enum transient_type type;
    const char *err;
    const char *out;
};

/* Failures that waiting does not heal, whatever words they hold. */
static const struct row genuine_cases[] = {
    {"wget-404", 8, TRANSIENT_NONE,
     "HTTP request sent, awaiting response... 404 Not Found\n"
     "2026-11-21 01:00:00 ERROR 404: Not Found.\n",
     ""},
    {"ssh-publickey", 128, TRANSIENT_NONE,
     "git@github.com: Permission denied (publickey).\n"
     "fatal: Could not read from remote repository.\n"
     "\n"
     "Please make sure you have the correct access rights\n"
     "and the repository exists.\n",
     ""},
    {"git-auth", 128, TRANSIENT_NONE,
     "remote: Support for password authentication was removed on August 13, 2021.\n"
     "fatal: Authentication failed for 'https://github.com/o/r.git/'\n",
     ""},
    {"git-403", 128, TRANSIENT_NONE,
     "fatal: unable to access 'https://github.com/o/r.git/': The requested URL returned error: "
     "403\n",
     ""},
    {"git-cert", 128, TRANSIENT_NONE,
     "fatal: unable to access 'https://x/': server certificate verification failed. CAfile: none "
     "CRLfile: none\n",
     ""},
    {"aws-cred", 254, TRANSIENT_NONE,
     "\n"
     "An error occurred (ExpiredTokenException) when calling the X operation: The security token "
     "included in the request is expired\n",
     ""},
    {"oai-429-quota", 1, TRANSIENT_NONE,
     "openai.RateLimitError: Error code: 429 - {'error': {'message': 'You exceeded your current "
     "quota, please check your plan and billing details.', 'type': 'insufficient_quota', 'param': "
     "None, 'code': 'insufficient_quota'}}\n",
     ""},
    {"ant-401", 1, TRANSIENT_NONE,
     "anthropic.AuthenticationError: Error code: 401 - {'type': 'error', 'error': {'type': "
     "'authentication_error', 'message': 'invalid x-api-key'}}\n",
     ""},
    {"ant-credit", 1, TRANSIENT_NONE,
     "anthropic.BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': "
     "'invalid_request_error', 'message': 'Your credit balance is too low to access the Anthropic "
     "API.'}}\n",
     ""},
    {"apt-404", 100, TRANSIENT_NONE,
     "E: Failed to fetch http://deb.debian.org/debian/pool/x.deb  404  Not Found [IP: 151.101.1.1 "
     "80]\n"
     "E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?\n",
     ""},
    {"npm-404", 1, TRANSIENT_NONE,
     "npm error code E404\n"
     "npm error 404 Not Found - GET https://registry.npmjs.org/nope-429 - Not found\n"
     "npm error 404\n",
     ""},
    {"jest-refused", 1, TRANSIENT_NONE,
     "FAIL src/api.test.js\n"
     "  \342\227\217 connects\n"
     "\n"
     "    connect ECONNREFUSED 127.0.0.1:3000\n"
     "\n"
     "      at Object.<anonymous> (src/api.test.js:3:1)\n"
     "\n"
     "Test Suites: 1 failed, 1 total\n"
     "Tests:       1 failed, 2 passed, 3 total\n",
     ""},
    {"vitest", 1, TRANSIENT_NONE, "",
     " \342\235\257 src/net.test.ts (2 tests | 1 failed) 12ms\n"
     "   \303\227 retries > gives up after ETIMEDOUT 5ms\n"
     "     \342\206\222 expected 429 to be 503\n"
     "\n"
     " Test Files  1 failed (1)\n"
     "      Tests  1 failed | 1 passed (2)\n"},
    {"mocha", 1, TRANSIENT_NONE, "",
     "  1) client retries on ECONNRESET\n"
     "\n"
     "  1 passing (5ms)\n"
     "  1 failing\n"
     "\n"
     "  1) client\n"
     "       retries on ECONNRESET:\n"
     "     Error: connect ECONNRESET 127.0.0.1:80\n"},
    {"tap", 1, TRANSIENT_NONE, "",
     "TAP version 13\n"
     "not ok 1 - handles ETIMEDOUT\n"
     "  ---\n"
     "  error: connect ETIMEDOUT\n"
     "  ...\n"
     "1..1\n"},
    {"py-keyerror", 1, TRANSIENT_NONE,
     "Traceback (most recent call last):\n"
     "  File \"/a.py\", line 1, in <module>\n"
     "    d['ETIMEDOUT']\n"
     "KeyError: 'ETIMEDOUT'\n",
     ""},
    {"node-reference", 1, TRANSIENT_NONE,
     "/a.js:1\n"
     "if (e === ECONNRESET) {}\n"
     "          ^\n"
     "\n"
     "ReferenceError: ECONNRESET is not defined\n"
     "    at Object.<anonymous> (/a.js:1:1)\n",
     ""},
    {"pg-dup", 1, TRANSIENT_NONE,
     "ERROR:  duplicate key value violates unique constraint \"jobs_pkey\"\n"
     "DETAIL:  Key (id)=(429) already exists.\n",
     ""},
    {"clap-value", 2, TRANSIENT_NONE,
     "error: invalid value 'ECONNRESET' for '--retry-on <CODE>'\n"
     "  [possible values: timeout, reset]\n",
     ""},
    {"mypy", 1, TRANSIENT_NONE, "",
     "src/retry.py:429: error: Incompatible return value type (got \"int\", expected \"str\")\n"
     "src/net.py:503: error: Name \"ETIMEDOUT\" is not defined\n"
     "Found 2 errors in 2 files (checked 12 source files)\n"},
    {"eslint", 1, TRANSIENT_NONE, "",
     "/home/u/src/retry.js\n"
     "  429:3  error  'ETIMEDOUT' is not defined  no-undef\n"
     "  503:10  error  Unexpected console statement  no-console\n"
     "\n"
     "\342\234\226 2 problems (2 errors, 0 warnings)\n"},
    {"commitlint", 1, TRANSIENT_NONE, "",
     "\342\247\227   input: fix: handle ETIMEDOUT and HTTP 429\n"
     "\342\234\226   subject may not be empty [subject-empty]\n"
     "\342\234\226   found 1 problems, 0 warnings\n"},
    {"cargo-test", 101, TRANSIENT_NONE, "error: test failed, to rerun pass `--lib`\n",
     "running 1 test\n"
     "test retries_on_429 ... FAILED\n"
     "\n"
     "failures:\n"
     "\n"
     "---- retries_on_429 stdout ----\n"
     "thread 'retries_on_429' panicked at src/lib.rs:503:9:\n"
     "assertion `left == right` failed\n"
     "  left: 429\n"
     " right: 503\n"
     "\n"
     "test result: FAILED. 0 passed; 1 failed; 0 ignored\n"},
    {"go-test-timeout", 1, TRANSIENT_NONE, "",
     "panic: test timed out after 10m0s\n"
     "running tests:\n"
     "\tTestDial (10m0s)\n"
     "\n"
     "goroutine 1 [running]:\n"
     "FAIL\texample.com/net\t600.012s\n"
     "FAIL\n"},
    {"go-test-dial", 1, TRANSIENT_NONE, "",
     "--- FAIL: TestDial (0.01s)\n"
     "    dial_test.go:12: dial tcp 127.0.0.1:9: connect: connection refused\n"
     "FAIL\n"
     "exit status 1\n"
     "FAIL\texample.com/net\t0.012s\n"},
    {"ctest", 8, TRANSIENT_NONE, "Errors while running CTest\n",
     "50% tests passed, 1 tests failed out of 2\n"
     "\n"
     "The following tests FAILED:\n"
     "\t  2 - net_timeout_503 (Failed)\n"},
    {"junit", 1, TRANSIENT_NONE, "",
     "[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0\n"
     "[ERROR]   ClientTest.retries:42 \302\273 SocketTimeout Read timed out\n"
     "[INFO] BUILD FAILURE\n"},
    {"rspec", 1, TRANSIENT_NONE, "",
     "Failures:\n"
     "\n"
     "  1) Client retries on 429\n"
     "     Failure/Error: expect(client.get).to eq(200)\n"
     "     Faraday::TimeoutError:\n"
     "       Net::ReadTimeout with #<TCPSocket:(closed)>\n"
     "\n"
     "5 examples, 1 failure\n"},
    {"playwright", 1, TRANSIENT_NONE, "",
     "  1) [chromium] \342\200\272 a.spec.ts:3:5 \342\200\272 login "
     "\342\224\200\342\224\200\342\224\200\342\224\200\342\224\200\342\224\200\n"
     "\n"
     "    Test timeout of 30000ms exceeded.\n"
     "\n"
     "    Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/\n"
     "\n"
     "  1 failed\n"
     "    [chromium] \342\200\272 a.spec.ts:3:5 \342\200\272 login\n"
     "  4 passed (35.0s)\n"},
    {"stdout-log-then-assert", 1, TRANSIENT_NONE,
     "Assertion failed: (n == 3), function main, file t.c, line 429.\n",
     "2026-11-21 ERROR connect ETIMEDOUT 10.0.0.1:443\n"
     "2026-11-21 INFO recovered\n"},
    {"c-assert", 134, TRANSIENT_NONE,
     "t: t.c:137: main: Assertion `rc == 429' failed.\n"
     "Aborted (core dumped)\n",
     ""},
    {"warn-then-fail", 2, TRANSIENT_NONE,
     "warning: connect ETIMEDOUT 10.2.0.4:443, retrying in 1s\n"
     "ls: cannot access 'x': No such file or directory\n",
     ""},
    {"net-then-nofile", 1, TRANSIENT_NONE,
     "Error: connect ETIMEDOUT 10.2.0.4:443\n"
     "cat: out/result.json: No such file or directory\n",
     ""},
    {"grep-src", 2, TRANSIENT_NONE, "grep: nodir: No such file or directory\n",
     "src/net.c:45:    case ETIMEDOUT:\n"
     "src/net.c:46:    case ECONNRESET:\n"},
    {"grep-src-only", 1, TRANSIENT_NONE, "",
     "src/net.c:45:    case ETIMEDOUT:\n"
     "src/net.c:46:    case ECONNRESET:\n"},
    {"cat-source", 1, TRANSIENT_NONE, "",
     "int f(void)\n"
     "{\n"
     "    if (errno == ETIMEDOUT)\n"
     "        return -1;\n"
     "}\n"},
    {"readme", 1, TRANSIENT_NONE, "",
     "Errors\n"
     "======\n"
     "The client retries on 429 and 503.\n"
     "On ETIMEDOUT it waits.\n"},
    {"git-log", 1, TRANSIENT_NONE, "",
     "a1b2c3d fix: retry on ECONNRESET\n"
     "0f0f0f0 Handle 429 Too Many Requests\n"},
    {"unknown-opt-timeout", 2, TRANSIENT_NONE,
     "error: unexpected argument '--connection-timed-out' found\n", ""},
    {"node-module", 1, TRANSIENT_NONE,
     "node:internal/modules/cjs/loader:1228\n"
     "  throw err;\n"
     "  ^\n"
     "\n"
     "Error: Cannot find module './ETIMEDOUT'\n"
     "Require stack:\n"
     "- /a.js\n"
     "    at Module._resolveFilename {\n"
     "  code: 'MODULE_NOT_FOUND',\n"
     "}\n",
     ""},
    {"java-cert", 1, TRANSIENT_NONE,
     "Exception in thread \"main\" javax.net.ssl.SSLHandshakeException: PKIX path building failed: "
     "sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid "
     "certification path to requested target\n",
     ""},
    {"go-cert", 1, TRANSIENT_NONE,
     "Get \"https://x/\": dial tcp: tls: failed to verify certificate: x509: certificate signed by "
     "unknown authority\n",
     ""},
    {"pip-cert", 1, TRANSIENT_NONE,
     "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) "
     "after connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL: "
     "CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate "
     "(_ssl.c:997)'))': /simple/x/\n"
     "Could not fetch URL https://pypi.org/simple/x/: There was a problem confirming the ssl "
     "certificate: HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded with url: "
     "/simple/x/ (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] "
     "certificate verify failed: self-signed certificate (_ssl.c:997)'))) - skipping\n"
     "ERROR: No matching distribution found for x\n",
     ""},
    {"sock-eacces", 1, TRANSIENT_NONE,
     "Error: connect EACCES /var/run/docker.sock\n"
     "    at PipeConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)\n",
     ""},
    {"docker-noimage", 125, TRANSIENT_NONE,
     "Unable to find image 'nope-429:latest' locally\n"
     "docker: Error response from daemon: pull access denied for nope-429, repository does not "
     "exist or may require 'docker login': denied: requested access to the resource is denied.\n"
     "See 'docker run --help'.\n",
     ""},
    {"docker-name", 125, TRANSIENT_NONE,
     "docker: Error response from daemon: Conflict. The container name \"/web\" is already in use "
     "by container \"abc\". You have to remove (or rename) that container to be able to reuse that "
     "name.\n",
     ""},
    {"docker-127", 127, TRANSIENT_NONE,
     "docker: Error response from daemon: failed to create task for container: failed to create "
     "shim task: OCI runtime create failed: runc create failed: unable to start container process: "
     "exec: \"nope\": executable file not found in $PATH: unknown.\n",
     ""},
    {"ts-http-code", 2, TRANSIENT_NONE, "",
     "src/http.ts(503,12): error TS2345: Argument of type '\"429 Too Many Requests\"' is not "
     "assignable to parameter of type 'number'.\n"},
    {"snapshot", 1, TRANSIENT_NONE, "",
     " FAIL  src/s.test.ts > body\n"
     "Error: Snapshot `body 1` mismatched\n"
     "\n"
     "- Expected\n"
     "+ Received\n"
     "\n"
     "-   \"status\": 200,\n"
     "+   \"status\": 429,\n"
     "+   \"error\": \"rate_limit_error\",\n"
     "\n"
     " Test Files  1 failed (1)\n"},
    {"v8-heap", 134, TRANSIENT_NONE,
     "<--- Last few GCs --->\n"
     "\n"
     "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
     ""},
    {"oom-doc", 1, TRANSIENT_NONE,
     "error: unknown field `OOMKilled`, expected one of `Running`, `Exited`\n", ""},
    {"claude-maxturns", 1, TRANSIENT_NONE, "",
     "{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true,\"num_turns\":3,"
     "\"errors\":[\"Reached maximum number of turns (2)\"]}\n"},
    {"claude-text-401", 1, TRANSIENT_NONE, "",
     "Failed to authenticate. API Error: 401 Invalid authentication credentials\n"},
    {"claude-limit", 1, TRANSIENT_NONE, "",
     "You've hit your session limit \302\267 resets 3pm (Europe/Berlin)\n"},
    {"claude-ok-then-fail", 1, TRANSIENT_NONE, "",
     "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"I saw "
     "ETIMEDOUT and 429 Too Many Requests\"}]}}\n"},
    {"claude-agent-prose", 1, TRANSIENT_NONE, "",
     "I fixed the ECONNRESET bug, but the tests still fail because 429 is not handled.\n"},
    {"requests-401", 1, TRANSIENT_NONE,
     "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://x/\n", ""},
    {"axios-404", 1, TRANSIENT_NONE, "AxiosError: Request failed with status code 404\n", ""},
    {"helm", 1, TRANSIENT_NONE, "Error: UPGRADE FAILED: chart requires kubeVersion\n", ""},
    {"mysql syntax", 1, TRANSIENT_NONE,
     "ERROR 1064 (42000): You have an error in your SQL syntax; check the manual\n", ""},
    {"wget ssl", 5, TRANSIENT_NONE,
     "ERROR: cannot verify x's certificate, issued by 'CN=x':\n"
     "  Self-signed certificate encountered.\n",
     ""},
    {"cert expired node", 1, TRANSIENT_NONE,
     "Error: certificate has expired\n"
     "    at TLSSocket.onConnectSecure {\n"
     "  code: 'CERT_HAS_EXPIRED'\n"
     "}\n",
     ""},
    {"hostname mismatch", 60, TRANSIENT_NONE,
     "curl: (60) SSL: no alternative certificate subject name matches target host name 'x'\n", ""},
    {"python MemoryError", 1, TRANSIENT_NONE,
     "Traceback (most recent call last):\n"
     "MemoryError\n",
     ""},
    {"dotnet", 1, TRANSIENT_NONE, "",
     "Program.cs(429,5): error CS0103: The name 'ETIMEDOUT' does not exist in the current "
     "context\n"},
    {"swiftc", 1, TRANSIENT_NONE, "main.swift:3:5: error: cannot find 'ETIMEDOUT' in scope\n", ""},
    {"ghc", 1, TRANSIENT_NONE, "Main.hs:429:1: error: Variable not in scope: timeout\n", ""},
    {"ruby", 1, TRANSIENT_NONE,
     "a.rb:3:in `<main>': undefined local variable or method `ETIMEDOUT' for main:Object "
     "(NameError)\n",
     ""},
    {"perl", 255, TRANSIENT_NONE,
     "Bareword \"ETIMEDOUT\" not allowed while \"strict subs\" in use at a.pl line 429.\n", ""},
    {"terraform plan", 1, TRANSIENT_NONE,
     "Error: Unsupported argument\n"
     "\n"
     "  on main.tf line 429, in resource \"x\" \"y\":\n"
     " 429:   timeout = 503\n",
     ""},
    {"pyright", 1, TRANSIENT_NONE, "",
     "/a/b.py:429:5 - error: \"ETIMEDOUT\" is not defined (reportUndefinedVariable)\n"
     "1 error, 0 warnings, 0 informations\n"},
    {"prettier", 1, TRANSIENT_NONE, "",
     "Checking formatting...\n"
     "[warn] src/429.ts\n"
     "[warn] Code style issues found in 503 files. Run Prettier with --write to fix.\n"},
    {"http-mock test", 1, TRANSIENT_NONE, "",
     "Error: Expected status 200 but got 503\n"
     "    at Context.<anonymous> (test/a.js:3:1)\n"},
    {"wanted", 1, TRANSIENT_NONE, "", "want 200, got 503\n"},
    {"shell test", 1, TRANSIENT_NONE, "", "not equal: 429 != 200\n"},
    {"bats", 1, TRANSIENT_NONE, "",
     "1..1\n"
     "not ok 1 curl retries on (28)\n"
     "# (in test file a.bats, line 3)\n"
     "#   `[ \"$status\" -eq 0 ]' failed\n"
     "# curl: (28) Operation timed out\n"},
    {"shunit", 1, TRANSIENT_NONE, "",
     "ASSERT:expected:<0> but was:<28>\n"
     "curl: (28) Connection timed out\n"
     "\n"
     "FAILED (failures=1)\n"},
    {"pre-commit", 1, TRANSIENT_NONE, "",
     "check yaml...............................................................Failed\n"
     "- hook id: check-yaml\n"
     "- exit code: 1\n"},
    {"commit hook secret", 1, TRANSIENT_NONE, "", "ETIMEDOUT constant must be documented\n"},
    {"deno", 1, TRANSIENT_NONE,
     "error: Uncaught (in promise) TypeError: Cannot read properties of undefined (reading "
     "'ETIMEDOUT')\n"
     "    at file:///a.ts:3:1\n",
     ""},
    {"node typeerror", 1, TRANSIENT_NONE,
     "TypeError: Cannot read properties of undefined (reading 'ECONNRESET')\n", ""},
    {"exitcode text", 1, TRANSIENT_NONE,
     "Command exited with code 1; log: ETIMEDOUT-handler.spec.ts failed\n", ""},
    {"flaky doc", 1, TRANSIENT_NONE,
     "error: docs/errors.md is out of date: ECONNRESET is missing from the table\n", ""},
    {"unknown env", 1, TRANSIENT_NONE,
     "error: environment variable RETRY_ON='ETIMEDOUT,ECONNRESET' could not be parsed\n", ""},
    {"chai", 1, TRANSIENT_NONE, "", "AssertionError: expected 'ECONNRESET' to equal 'ETIMEDOUT'\n"},
    {"tox", 1, TRANSIENT_NONE, "",
     "py311: exit 1 (0.50 seconds) /a> pytest tests pid=123\n"
     "  py311: FAIL code 1 (1.00=setup[0.50]+cmd[0.50] seconds)\n"},
};

/* Failures that may be gone after a wait. */
static const struct row heal_cases[] = {
    {"wget-503", 8, TRANSIENT_API_OVERLOADED,
     "--2026-11-21 01:00:00--  http://x/\n"
     "HTTP request sent, awaiting response... 503 Service Unavailable\n"
     "2026-11-21 01:00:00 ERROR 503: Service Unavailable.\n",
     ""},
    {"wget-timeout", 4, TRANSIENT_NETWORK_TIMEOUT,
     "Connecting to x (x)|1.2.3.4|:80... failed: Connection timed out.\n"
     "Giving up.\n",
     ""},
    {"docker-pull-timeout", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Error response from daemon: Get \"https://registry-1.docker.io/v2/\": net/http: request "
     "canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)\n",
     ""},
    {"docker-pull-dns", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Error response from daemon: Get \"https://registry-1.docker.io/v2/\": dial tcp: lookup "
     "registry-1.docker.io on 127.0.0.11:53: server misbehaving\n",
     ""},
    {"docker-toomany", 1, TRANSIENT_API_RATE_LIMIT,
     "toomanyrequests: You have reached your pull rate limit. You may increase the limit by "
     "authenticating and upgrading: https://www.docker.com/increase-rate-limit\n",
     ""},
    {"go-proxy-timeout", 1, TRANSIENT_NETWORK_TIMEOUT,
     "go: github.com/x/y@v1.2.3: Get \"https://proxy.golang.org/github.com/x/y/@v/v1.2.3.mod\": "
     "dial tcp 142.250.1.1:443: i/o timeout\n",
     ""},
    {"go-place-timeout", 1, TRANSIENT_NETWORK_TIMEOUT,
     "main.go:4:2: github.com/x/y@v1.2.3: Get \"https://proxy.golang.org/x\": dial tcp "
     "142.250.1.1:443: i/o timeout\n",
     ""},
    {"cargo-28", 101, TRANSIENT_NETWORK_TIMEOUT,
     "error: failed to download from `https://crates.io/api/v1/crates/serde/1.0/download`\n"
     "\n"
     "Caused by:\n"
     "  [28] Timeout was reached (Connection timed out after 30001 milliseconds)\n",
     ""},
    {"cargo-dns", 101, TRANSIENT_NETWORK_TIMEOUT,
     "error: failed to get `serde` as a dependency of package `a v0.1.0 (/a)`\n"
     "\n"
     "Caused by:\n"
     "  [6] Couldn't resolve host name (Could not resolve host: index.crates.io)\n",
     ""},
    {"mvn-timeout", 1, TRANSIENT_NETWORK_TIMEOUT, "",
     "[ERROR] Failed to execute goal on project a: Could not resolve dependencies for project "
     "g:a:jar:1: Failed to collect dependencies: Could not transfer artifact x:pom:1 from/to "
     "central (https://repo.maven.apache.org/maven2): Connect to repo.maven.apache.org:443 failed: "
     "Connection timed out (Connection timed out) -> [Help 1]\n"},
    {"gradle-503", 1, TRANSIENT_API_OVERLOADED,
     "FAILURE: Build failed with an exception.\n"
     "\n"
     "* What went wrong:\n"
     "Execution failed for task ':compileJava'.\n"
     "> Could not resolve all files.\n"
     "   > Could not GET 'https://repo/x.pom'. Received status code 503 from server: Service "
     "Unavailable\n",
     ""},
    {"yarn-etimedout", 1, TRANSIENT_NETWORK_TIMEOUT,
     "error An unexpected error occurred: \"https://registry.yarnpkg.com/x: ETIMEDOUT\".\n"
     "info If you think this is a bug, please open a bug report\n",
     ""},
    {"yarn-sock", 1, TRANSIENT_NETWORK_TIMEOUT,
     "error An unexpected error occurred: \"https://registry.yarnpkg.com/x/-/x-1.tgz: "
     "ESOCKETTIMEDOUT\".\n",
     ""},
    {"pnpm", 1, TRANSIENT_NETWORK_TIMEOUT, "",
     " ERR_PNPM_META_FETCH_FAIL  GET https://registry.npmjs.org/x: request to "
     "https://registry.npmjs.org/x failed, reason: connect ETIMEDOUT 104.16.1.1:443\n"},
    {"composer-28", 1, TRANSIENT_NETWORK_TIMEOUT,
     "In CurlDownloader.php line 365:\n"
     "\n"
     "  curl error 28 while downloading https://repo.packagist.org/packages.json: Connection timed "
     "out after 10000 milliseconds\n",
     ""},
    {"gem", 1, TRANSIENT_NETWORK_TIMEOUT,
     "ERROR:  Could not find a valid gem 'x' (>= 0), here is why:\n"
     "          Unable to download data from https://rubygems.org/ - Net::OpenTimeout: Failed to "
     "open TCP connection to rubygems.org:443 (execution expired) "
     "(https://rubygems.org/specs.4.8.gz)\n",
     ""},
    {"ssh-timeout", 128, TRANSIENT_NETWORK_TIMEOUT,
     "ssh: connect to host github.com port 22: Connection timed out\n"
     "fatal: Could not read from remote repository.\n"
     "\n"
     "Please make sure you have the correct access rights\n"
     "and the repository exists.\n",
     ""},
    {"git-rpc-503", 128, TRANSIENT_API_OVERLOADED,
     "error: RPC failed; HTTP 503 curl 22 The requested URL returned error: 503\n"
     "fatal: expected flush after ref listing\n",
     ""},
    {"git-rpc-92", 128, TRANSIENT_NETWORK_TIMEOUT,
     "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\n"
     "error: 1234 bytes of body are still expected\n"
     "fetch-pack: unexpected disconnect while reading sideband packet\n"
     "fatal: early EOF\n"
     "fatal: fetch-pack: invalid index-pack output\n",
     ""},
    {"git-500", 128, TRANSIENT_API_OVERLOADED,
     "fatal: unable to access 'https://github.com/o/r.git/': The requested URL returned error: "
     "500\n",
     ""},
    {"terraform-lock", 1, TRANSIENT_RESOURCE_BUSY,
     "\n"
     "\033[31mError: Error acquiring the state lock\n"
     "\n"
     "Error message: ConditionalCheckFailedException: The conditional request failed\n",
     ""},
    {"aws-throttle", 254, TRANSIENT_API_RATE_LIMIT,
     "\n"
     "An error occurred (ThrottlingException) when calling the DescribeInstances operation "
     "(reached max retries: 4): Rate exceeded\n",
     ""},
    {"gh-secondary", 1, TRANSIENT_API_RATE_LIMIT,
     "HTTP 403: You have exceeded a secondary rate limit. Please wait a few minutes before you try "
     "again. (https://api.github.com/graphql)\n",
     ""},
    {"k8s-429", 1, TRANSIENT_API_RATE_LIMIT,
     "Error from server (TooManyRequests): the server has received too many requests and has asked "
     "us to try again later\n",
     ""},
    {"psql-refused", 2, TRANSIENT_NETWORK_TIMEOUT,
     "psql: error: connection to server at \"db\" (10.0.0.3), port 5432 failed: Connection "
     "refused\n"
     "\tIs the server running on that host and accepting TCP/IP connections?\n",
     ""},
    {"pg-clients", 1, TRANSIENT_RESOURCE_BUSY, "FATAL:  sorry, too many clients already\n", ""},
    {"oai-429", 1, TRANSIENT_API_RATE_LIMIT,
     "Traceback (most recent call last):\n"
     "  File \"/a.py\", line 9, in <module>\n"
     "    main()\n"
     "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached for "
     "gpt-4o in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please "
     "try again in 20s.', 'type': 'requests'}}\n",
     ""},
    {"oai-timeout", 1, TRANSIENT_NETWORK_TIMEOUT, "openai.APITimeoutError: Request timed out.\n",
     ""},
    {"ant-529", 1, TRANSIENT_API_OVERLOADED,
     "anthropic._exceptions.OverloadedError: Error code: 529 - {'type': 'error', 'error': {'type': "
     "'overloaded_error', 'message': 'Overloaded'}}\n",
     ""},
    {"pip-readtimeout", 2, TRANSIENT_NETWORK_TIMEOUT,
     "ERROR: Exception:\n"
     "Traceback (most recent call last):\n"
     "  File \"x.py\", line 438, in _error_catcher\n"
     "    yield\n"
     "pip._vendor.urllib3.exceptions.ReadTimeoutError: "
     "HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.\n",
     ""},
    {"conda", 1, TRANSIENT_NETWORK_TIMEOUT,
     "CondaHTTPError: HTTP 000 CONNECTION FAILED for url "
     "<https://repo.anaconda.com/pkgs/main/linux-64/current_repodata.json>\n"
     "Elapsed: -\n"
     "\n"
     "An HTTP error occurred when trying to retrieve this URL.\n",
     ""},
    {"apt-503", 100, TRANSIENT_API_OVERLOADED,
     "E: Failed to fetch http://deb.debian.org/debian/dists/x/InRelease  503  Service Unavailable "
     "[IP: 151.101.1.1 80]\n"
     "E: Some index files failed to download.\n",
     ""},
    {"fork-retry", 254, TRANSIENT_RESOURCE_BUSY,
     "bash: fork: retry: Resource temporarily unavailable\n"
     "bash: fork: Resource temporarily unavailable\n",
     ""},
    {"eaddrinuse", 1, TRANSIENT_RESOURCE_BUSY,
     "node:events:502\n"
     "      throw er; // Unhandled 'error' event\n"
     "      ^\n"
     "\n"
     "Error: listen EADDRINUSE: address already in use :::3000\n"
     "    at Server.setupListenHandle [as _listen2] (node:net:1817:16)\n",
     ""},
    {"npm-429", 1, TRANSIENT_API_RATE_LIMIT,
     "npm error code E429\n"
     "npm error 429 Too Many Requests - GET https://registry.npmjs.org/x\n",
     ""},
    {"npm-eai", 1, TRANSIENT_NETWORK_TIMEOUT,
     "npm ERR! code EAI_AGAIN\n"
     "npm ERR! syscall getaddrinfo\n"
     "npm ERR! errno EAI_AGAIN\n"
     "npm ERR! request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN "
     "registry.npmjs.org\n",
     ""},
    {"buildkit-timeout", 1, TRANSIENT_NETWORK_TIMEOUT,
     "#2 ERROR: failed to do request: Head "
     "\"https://registry-1.docker.io/v2/library/node/manifests/20\": dial tcp 1.2.3.4:443: i/o "
     "timeout\n"
     "------\n"
     " > [internal] load metadata for docker.io/library/node:20:\n"
     "------\n"
     "ERROR: failed to solve: node:20: failed to resolve source metadata for "
     "docker.io/library/node:20: failed to do request: Head "
     "\"https://registry-1.docker.io/v2/library/node/manifests/20\": dial tcp 1.2.3.4:443: i/o "
     "timeout\n",
     ""},
    {"buildkit-137", 1, TRANSIENT_CONTAINER_OOM,
     "ERROR: failed to solve: process \"/bin/sh -c npm run build\" did not complete successfully: "
     "exit code: 137\n",
     ""},
    {"bash-killed", 137, TRANSIENT_CONTAINER_OOM,
     "run.sh: line 3: 12345 Killed                  ./big\n", ""},
    {"yarn-137", 1, TRANSIENT_CONTAINER_OOM, "error Command failed with exit code 137.\n", ""},
    {"cargo-sigkill", 101, TRANSIENT_CONTAINER_OOM,
     "error: could not compile `big` (lib)\n"
     "\n"
     "Caused by:\n"
     "  process didn't exit successfully: `rustc --crate-name big` (signal: 9, SIGKILL: kill)\n",
     ""},
    {"ld-enospc", 1, TRANSIENT_RESOURCE_BUSY,
     "/usr/bin/ld: final link failed: No space left on device\n"
     "collect2: error: ld returned 1 exit status\n",
     ""},
    {"gcc-enospc", 1, TRANSIENT_RESOURCE_BUSY,
     "{standard input}: Assembler messages:\n"
     "{standard input}: Fatal error: can't write 12 bytes to section .text of a.o: 'No space left "
     "on device'\n",
     ""},
    {"docker-daemon-2", 1, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE,
     "ERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker "
     "daemon running?\n"
     "errors pretty printing info\n",
     ""},
    {"compose-conn", 1, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE,
     "error during connect: this error may indicate that the docker daemon is not running: Get "
     "\"http://%2F%2F.%2Fpipe%2Fdocker_engine/v1.24/info\": open //./pipe/docker_engine: The "
     "system cannot find the file specified.\n",
     ""},
    {"sandbox-b1", 1, TRANSIENT_SANDBOX_START_TIMEOUT, "Error: Sandbox start exceeded 60000 ms\n",
     ""},
    {"claude-text-500", 1, TRANSIENT_API_OVERLOADED, "",
     "API Error: 500 Internal server error. This is a server-side issue, usually temporary "
     "\342\200\224 try again in a moment.\n"},
    {"claude-529-null", 1, TRANSIENT_API_OVERLOADED, "",
     "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":null,"
     "\"result\":\"API Error: Repeated 529 Overloaded errors. The API is at capacity \342\200\224 "
     "this is usually temporary.\"}\n"},
    {"http2-goaway", 1, TRANSIENT_NETWORK_TIMEOUT,
     "curl: (92) HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)\n", ""},
    {"py-gaierror", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Traceback (most recent call last):\n"
     "  File \"/a.py\", line 3\n"
     "socket.gaierror: [Errno -2] Name or service not known\n",
     ""},
    {"py-reset", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Traceback (most recent call last):\n"
     "ConnectionResetError: [Errno 104] Connection reset by peer\n",
     ""},
    {"requests-503", 1, TRANSIENT_API_OVERLOADED,
     "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://x/\n",
     ""},
    {"axios-429", 1, TRANSIENT_API_RATE_LIMIT,
     "AxiosError: Request failed with status code 429\n"
     "    at settle (/a/node_modules/axios/lib/core/settle.js:19:12)\n",
     ""},
    {"retry-after-header", 1, TRANSIENT_API_RATE_LIMIT,
     "< HTTP/1.1 429 Too Many Requests\n"
     "< Retry-After: 30\n"
     "< content-type: text/html\n"
     "curl: (22) The requested URL returned error: 429\n",
     ""},
    {"java-refused", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Exception in thread \"main\" java.net.ConnectException: Connection refused\n"
     "\tat java.base/sun.nio.ch.Net.connect0(Native Method)\n",
     ""},
    {"rust-reqwest", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Error: reqwest::Error { kind: Request, url: \"https://x/\", source: "
     "hyper_util::client::legacy::Error(Connect, ConnectError(\"tcp connect error\", Os { code: "
     "111, kind: ConnectionRefused, message: \"Connection refused\" })) }\n",
     ""},
    {"uv-timeout", 2, TRANSIENT_NETWORK_TIMEOUT,
     "error: Failed to fetch: `https://pypi.org/simple/x/`\n"
     "  Caused by: Request failed after 3 retries\n"
     "  Caused by: error sending request for url (https://pypi.org/simple/x/)\n"
     "  Caused by: operation timed out\n",
     ""},
    {"emfile", 1, TRANSIENT_RESOURCE_BUSY, "Error: EMFILE: too many open files, open '/a/b.js'\n",
     ""},
    {"text-busy", 126, TRANSIENT_RESOURCE_BUSY, "bash: line 1: ./tool: Text file busy\n", ""},
    {"gitlab-502", 1, TRANSIENT_API_OVERLOADED,
     "remote: GitLab: 502 Bad Gateway\n"
     "fatal: unable to access 'https://gitlab/x.git/': The requested URL returned error: 502\n",
     ""},
    {"b1 http error 503:", 1, TRANSIENT_API_OVERLOADED,
     "urllib.error.HTTPError: HTTP Error 503: Service Unavailable\n", ""},
    {"HTTP 503: x", 1, TRANSIENT_API_OVERLOADED, "Error: HTTP 503: upstream\n", ""},
    {"status code: 503", 1, TRANSIENT_API_OVERLOADED, "unexpected status code: 503\n", ""},
    {"status=503", 1, TRANSIENT_API_OVERLOADED, "request failed: status=503 body=...\n", ""},
    {"http error 429:", 1, TRANSIENT_API_RATE_LIMIT, "HTTP Error 429: Too Many Requests\n", ""},
    {"api 529", 1, TRANSIENT_API_OVERLOADED, "API Error: 529 overloaded\n", ""},
    {"500", 1, TRANSIENT_API_OVERLOADED, "Request failed with status code 500\n", ""},
    {"server 500 ok", 1, TRANSIENT_API_OVERLOADED, "500 Internal Server Error\n", ""},
    {"aws endpoint", 255, TRANSIENT_NETWORK_TIMEOUT,
     "Could not connect to the endpoint URL: \"https://s3.us-east-1.amazonaws.com/\"\n", ""},
    {"aws conn timeout", 255, TRANSIENT_NETWORK_TIMEOUT,
     "Connect timeout on endpoint URL: \"https://s3.amazonaws.com/\"\n", ""},
    {"helm lock", 1, TRANSIENT_RESOURCE_BUSY,
     "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress\n", ""},
    {"etcd", 1, TRANSIENT_NETWORK_TIMEOUT, "Error from server: etcdserver: request timed out\n",
     ""},
    {"redis", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Could not connect to Redis at 127.0.0.1:6379: Connection refused\n", ""},
    {"mysql lock", 1, TRANSIENT_RESOURCE_BUSY,
     "ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction\n", ""},
    {"mysql gone", 1, TRANSIENT_NETWORK_TIMEOUT,
     "ERROR 2013 (HY000): Lost connection to MySQL server during query\n", ""},
    {"nuget", 1, TRANSIENT_NETWORK_TIMEOUT, "",
     "error NU1301: Unable to load the service index for source "
     "https://api.nuget.org/v3/index.json.\n"},
    {"apk", 1, TRANSIENT_NETWORK_TIMEOUT,
     "ERROR: https://dl-cdn.alpinelinux.org/alpine/v3.18/main: temporary error (try again later)\n",
     ""},
    {"dnf", 1, TRANSIENT_NETWORK_TIMEOUT,
     "Error: Failed to download metadata for repo 'x': Cannot download repomd.xml: Curl error "
     "(28): Timeout was reached for https://x [Connection timed out]\n",
     ""},
    {"poetry", 1, TRANSIENT_NETWORK_TIMEOUT,
     "  HTTPSConnectionPool(host='pypi.org', port=443): Read timed out. (read timeout=15)\n", ""},
    {"ssh-closed", 255, TRANSIENT_NETWORK_TIMEOUT,
     "kex_exchange_identification: Connection closed by remote host\n"
     "Connection closed by 1.2.3.4 port 22\n",
     ""},
    {"rsync", 30, TRANSIENT_NETWORK_TIMEOUT,
     "rsync error: timeout in data send/receive (code 30) at io.c(195) [sender=3.2.7]\n", ""},
    {"scp reset", 1, TRANSIENT_NETWORK_TIMEOUT, "client_loop: send disconnect: Broken pipe\n", ""},
    {"openssl eof", 1, TRANSIENT_NETWORK_TIMEOUT,
     "curl: (35) OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to x:443\n", ""},
    {"wget 500", 8, TRANSIENT_API_OVERLOADED,
     "2026-01-01 01:01:01 ERROR 500: Internal Server Error.\n", ""},
    {"sandbox not ready", 1, TRANSIENT_SANDBOX_START_TIMEOUT,
     "Error: sandbox did not become ready within 60s\n", ""},
    {"e2b", 1, TRANSIENT_SANDBOX_START_TIMEOUT, "TimeoutError: Sandbox start timed out after 60s\n",
     ""},
    {"docker start", 1, TRANSIENT_SANDBOX_START_TIMEOUT,
     "Error: container failed to start within 30 seconds\n", ""},
    {"oom k8s", 1, TRANSIENT_CONTAINER_OOM, "pod web-1 terminated: OOMKilled (exit code 137)\n",
     ""},
};

#endif
