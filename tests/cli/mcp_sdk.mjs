// devs mcp as the protocol's own clients see it: mcp_sdk.mjs DEVS, in the project's folder.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const devs = process.argv[2];
const modules = join(dirname(fileURLToPath(import.meta.url)), "node_modules", "@modelcontextprotocol");
let failures = 0;

function check(what, ok, seen) {
  if (ok) return;
  failures += 1;
  console.log(`FAIL: ${what}: ${JSON.stringify(seen)?.slice(0, 1500)}`);
}

const run = (client, name, args, options) =>
  client.callTool({ name, arguments: args }, ...options);

async function useClient(label, client, transport, options) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  check(`${label}: list`, tools.length === 4, tools);

  const ok = await run(client, "execute_command", { argv: ["echo", "hi"] }, options());
  check(`${label}: call`, !ok.isError && ok.structuredContent.stdout === "hi\n", ok);
  const bad = await run(client, "execute_command", { argv: ["sh", "-c", "exit 3"] }, options());
  check(`${label}: error`, bad.isError && bad.structuredContent.exit === 3, bad);
  const wrong = await run(client, "execute_command", { cmd: "x" }, options());
  check(`${label}: wrong arguments`, wrong.isError, wrong);
  const unknown = await run(client, "no_such_tool", {}, options()).catch((error) => error);
  check(`${label}: unknown tool`, unknown.code === -32602, unknown);

  const words = [];
  const transient = await run(
    client, "execute_command",
    { argv: ["sh", "-c", "echo ECONNRESET; exit 1"], idempotent: true },
    options({ onprogress: (progress) => words.push(progress) }));
  check(`${label}: progress`, words.some((word) => /next try in/.test(word.message)), words);
  check(`${label}: it rises`, words.every((word, i) => i === 0 || word.progress > words[i - 1].progress), words);
  check(`${label}: attempts`, transient.structuredContent.attempts === 3, transient);

  const stop = new AbortController();
  const began = Date.now();
  const gone = run(client, "execute_command", { argv: ["sleep", "600"] },
    options({ signal: stop.signal, onprogress: () => stop.abort("enough") })).catch((error) => error);
  check(`${label}: cancel`, /enough|abort/i.test(String(await gone)), String(await gone));
  check(`${label}: at once`, Date.now() - began < 60000);

  let started = Date.now();
  let right = 0;
  for (let i = 0; i < 1000; i++) {
    const result = await run(client, "execute_command", { argv: ["echo", String(i * 7919)] }, options());
    right += result.structuredContent.stdout === `${i * 7919}\n` ? 1 : 0;
  }
  check(`${label}: 1,000 calls`, right === 1000, right);
  console.log(`${label}: 1,000 calls in a row: ${Date.now() - started} ms`);

  started = Date.now();
  let at = 0;
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (at < 200) {
      const i = at++;
      const result = await run(client, "execute_command", { argv: ["echo", `${i} of 8`] }, options());
      check(`${label}: 8 at once`, result.structuredContent.stdout === `${i} of 8\n`, result);
    }
  }));
  console.log(`${label}: 200 calls, 8 at once: ${Date.now() - started} ms`);
  await client.close();
}

async function legacy() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const transport = new StdioClientTransport({ command: devs, args: ["mcp"], stderr: "inherit" });
  await useClient("sdk", new Client({ name: "sdk", version: "1" }), transport,
    (options) => [undefined, { timeout: 60000, ...options }]);
}

async function stateless() {
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const transport = new StdioClientTransport({ command: devs, args: ["mcp"], stderr: "inherit" });
  const client = new Client({ name: "client", version: "2" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await useClient("client", client, transport, (options) => [{ timeout: 60000, ...options }]);
}

function inspector() {
  const cli = join(modules, "..", ".bin", "mcp-inspector");
  const ask = (...words) => JSON.parse(execFileSync(cli, ["--cli", devs, "mcp", ...words],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
  const { tools } = ask("--method", "tools/list");
  check("inspector: list", tools.length === 4, tools);
  const result = ask("--method", "tools/call", "--tool-name", "execute_command",
    "--tool-arg", 'argv=["echo","hi"]');
  check("inspector: call", result.structuredContent?.stdout === "hi\n", result);
  console.log("inspector: list, call");
}

if (existsSync(join(modules, "sdk"))) await legacy();
if (existsSync(join(modules, "client"))) await stateless();
if (existsSync(join(modules, "inspector"))) inspector();
console.log(failures ? `mcp_sdk: ${failures} failed` : "mcp_sdk: all passed");
process.exit(failures ? 1 : 0);
