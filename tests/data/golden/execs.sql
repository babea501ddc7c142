-- One command, as devs exec runs it.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'99fd4c4c3a173a98577dbfac5c5d1664','exec','exec','/tmp/devs-golden/execs','devs exec --policy default -- sh -c ''echo hello; exit 3''','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',3337312023096834763,1,1,738,4987244,1795354003967,1795354005484,1,19,1795354005484,3,0,1,0,1504,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version":1,"name":"exec","idempotent":false,"tasks":[{"id":"exec","title":"sh -c echo hello; exit 3","steps":[{"phase":"VERIFY","run":["sh","-c","echo hello; exit 3"],"idempotent":true,"policy":"default"}]}]}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795354003968,49872560,1,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795354003968,49872560,3,0,0,1,1,1,-3072927322613844766,-88597430088653165,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795354003973,49872565,4,0,0,1,1,1,756,4987256,NULL,NULL,NULL,NULL), -- attempt_running
(1,4,1795354003974,49872566,5,0,0,1,1,1,NULL,3,6,6,NULL,'{"out_lines":1,"fp":"641e0a3d4a2fb619cb7b1e2695f0f37d","new":1000,"loop":{"raw":4591718280185980906,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,5,1795354003974,49872566,6,0,0,1,1,1,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,6,1795354003974,49872566,7,0,0,1,1,1,500,1795354004474,49873066,500,NULL,'{"policy":"default","n":1,"base":500,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":3}'), -- wait_started
(1,7,1795354004475,49873067,8,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,8,1795354004475,49873067,3,0,0,1,1,2,-3072927322613844766,-88597430088653165,NULL,NULL,NULL,NULL), -- attempt_started
(1,9,1795354004476,49873068,4,0,0,1,1,2,815,4987306,NULL,NULL,NULL,NULL), -- attempt_running
(1,10,1795354004477,49873069,5,0,0,1,1,2,NULL,3,2,6,NULL,'{"out_lines":1,"fp":"641e0a3d4a2fb619cb7b1e2695f0f37d","new":0,"loop":{"raw":4591718280185980906,"bits":1,"lines":1}}'), -- attempt_ended
(1,11,1795354004477,49873069,6,0,0,1,1,2,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,12,1795354004477,49873069,7,0,0,1,1,2,1000,1795354005477,49874069,1000,NULL,'{"policy":"default","n":2,"base":500,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":2,"allowed":3}'), -- wait_started
(1,13,1795354005480,49874072,8,0,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,14,1795354005480,49874072,3,0,0,1,1,3,-3072927322613844766,-88597430088653165,NULL,NULL,NULL,NULL), -- attempt_started
(1,15,1795354005484,49874076,4,0,0,1,1,3,954,4987407,NULL,NULL,NULL,NULL), -- attempt_running
(1,16,1795354005484,49874077,5,0,0,1,1,3,NULL,3,4,6,NULL,'{"out_lines":1,"fp":"641e0a3d4a2fb619cb7b1e2695f0f37d","new":0,"loop":{"raw":4591718280185980906,"bits":1,"lines":1}}'), -- attempt_ended
(1,17,1795354005484,49874077,6,0,0,1,1,3,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,18,1795354005484,49874077,9,0,0,1,1,3,3,3,1,1,NULL,'{"policy":"default","phase":"VERIFY","used":3,"allowed":3}'), -- step_ended
(1,19,1795354005484,49874077,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795354003974,CAST('hello'||char(10)||'' AS BLOB)),
(2,1,0,0,2,1,0,0,0,1795354004477,CAST('hello'||char(10)||'' AS BLOB)),
(3,1,0,0,3,1,0,0,0,1795354005485,CAST('hello'||char(10)||'' AS BLOB));
