-- Tests that are to be red: as they should be, green, and red for another reason.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'0319dc89f8de5c8adb3bdfd6beb1f030','plan','plan','/tmp/devs-golden/expectations','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-6400327214430681651,1,4,31105,4985785,1795353989398,1795353989428,1,26,1795353989428,5,2,2,0,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "red", "steps": [{"run": ["sh", "-c", "echo ''not ok 1''; exit 1"], "phase": "RED", "expect": "failure"}, {"run": ["sh", "-c", "true"]}]}, {"id": "green", "steps": [{"run": ["sh", "-c", "echo ok"], "phase": "RED", "expect": "failure"}]}, {"id": "broken", "steps": [{"run": ["sh", "-c", "no-such-program"], "phase": "RED", "expect": "failure"}]}, {"id": "match", "steps": [{"run": ["sh", "-c", "echo ''not ok 7''; exit 1"], "phase": "RED", "expect": {"match": "not ok 7"}}]}], "jobs": 1}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795353989402,49857994,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":1,"by":"root"}'),
(1,2,1795353989402,49857994,'attempt_started','red',0,0,1,1,1,'{"call":"5f295250130e33cb07b8c5725456be8f"}'),
(1,3,1795353989403,49857995,'attempt_running','red',0,0,1,1,1,'{"pid":31144,"pid_start":4985799}'),
(1,4,1795353989416,49858008,'attempt_ended','red',0,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":14,"out_bytes":9,"err_bytes":0,"out_lines":1,"cpu_ms":1,"fingerprint":"05c5dd87e5a644bb6bb80eb0f6d676b5","new_permille":1000,"loop":{"raw":-6143344201902753917,"gain":"line","lines":1}}'),
(1,5,1795353989416,49858008,'attempt_judged','red',0,0,1,1,1,'{"class":"success","reason":"test-fail","rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 1"}'),
(1,6,1795353989416,49858008,'step_ended','red',0,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,7,1795353989416,49858008,'attempt_started','red',0,1,1,1,1,'{"call":"0ba902c2812df3b8b2c72363d32a2f0f"}'),
(1,8,1795353989417,49858009,'attempt_running','red',0,1,1,1,1,'{"pid":31147,"pid_start":4985800}'),
(1,9,1795353989417,49858009,'attempt_ended','red',0,1,1,1,1,'{"outcome":"exit","code":0,"ran_ms":1,"out_bytes":0,"err_bytes":0,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,10,1795353989417,49858009,'step_ended','red',0,1,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,11,1795353989417,49858009,'attempt_started','green',1,0,1,1,1,'{"call":"4c599a8355fff47bc4818a4638250862"}'),
(1,12,1795353989424,49858016,'attempt_running','green',1,0,1,1,1,'{"pid":31148,"pid_start":4985801}'),
(1,13,1795353989424,49858016,'attempt_ended','green',1,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":7,"out_bytes":3,"err_bytes":0,"out_lines":1,"fingerprint":"d32d9da97eb9a6aa5c8e11126a411948","fails":true,"new_permille":1000,"loop":{"raw":7827255365362675922,"bits":1,"gain":"line","lines":1}}'),
(1,14,1795353989424,49858016,'attempt_judged','green',1,0,1,1,1,'{"class":"persistent","expectation":"unexpected pass","rule":"expect.failure"}'),
(1,15,1795353989424,49858016,'step_ended','green',1,0,1,1,1,'{"decision":"failed","attempts":1,"entropy":true,"capture":true,"policy":"default","phase":"RED","used":1,"allowed":1}'),
(1,16,1795353989424,49858016,'attempt_started','broken',2,0,1,1,1,'{"call":"978edccb46bd883c16e28fe2ff52705a"}'),
(1,17,1795353989426,49858018,'attempt_running','broken',2,0,1,1,1,'{"pid":31149,"pid_start":4985801}'),
(1,18,1795353989426,49858018,'attempt_ended','broken',2,0,1,1,1,'{"outcome":"exit","code":127,"ran_ms":1,"out_bytes":0,"err_bytes":34,"err_lines":1,"fingerprint":"ec4285f695cc6cb01cf4902ff57af3a4","new_permille":1000,"loop":{"raw":-1680292334026524527,"bits":1,"gain":"line","lines":1}}'),
(1,19,1795353989426,49858018,'attempt_judged','broken',2,0,1,1,1,'{"class":"persistent","reason":"not-found","expectation":"wrong reason","rule":"shell.127","subtype":"COMMAND_NOT_FOUND","stream":"stderr","offset":0,"line":1,"match":"sh: 1: no-such-program: not found"}'),
(1,20,1795353989426,49858018,'step_ended','broken',2,0,1,1,1,'{"decision":"failed","attempts":1,"entropy":true,"capture":true,"policy":"default","phase":"RED","used":1,"allowed":1}'),
(1,21,1795353989426,49858018,'attempt_started','match',3,0,1,1,1,'{"call":"da07d4b96649d951e57e2359eec8ee99"}'),
(1,22,1795353989428,49858020,'attempt_running','match',3,0,1,1,1,'{"pid":31150,"pid_start":4985801}'),
(1,23,1795353989428,49858020,'attempt_ended','match',3,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":9,"err_bytes":0,"out_lines":1,"fingerprint":"08a88af8125a075ab50f1f4ed387b8d8","new_permille":1000}'),
(1,24,1795353989428,49858020,'attempt_judged','match',3,0,1,1,1,'{"class":"success","reason":"test-fail","rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 7"}'),
(1,25,1795353989428,49858020,'step_ended','match',3,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,26,1795353989428,49858020,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":1}');
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353989416,CAST('not ok 1'||char(10)||'' AS BLOB)),
(2,1,1,0,1,1,0,0,0,1795353989424,CAST('ok'||char(10)||'' AS BLOB)),
(3,1,2,0,1,2,0,0,0,1795353989426,CAST('sh: 1: no-such-program: not found'||char(10)||'' AS BLOB)),
(4,1,3,0,1,1,0,0,0,1795353989428,CAST('not ok 7'||char(10)||'' AS BLOB));
