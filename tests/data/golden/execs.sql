-- One command, as devs exec runs it.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'99fd4c4c3a173a98577dbfac5c5d1664','exec','exec','/tmp/devs-golden/execs','devs exec --policy default -- sh -c ''echo hello; exit 3''','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',3337312023096834763,1,1,738,4987244,1795354003967,1795354005484,1,19,1795354005484,3,0,1,0,1504,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version":1,"name":"exec","idempotent":false,"tasks":[{"id":"exec","title":"sh -c echo hello; exit 3","steps":[{"phase":"VERIFY","run":["sh","-c","echo hello; exit 3"],"idempotent":true,"policy":"default"}]}]}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795354003968,49872560,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":1,"by":"root"}'),
(1,2,1795354003968,49872560,'attempt_started','exec',0,0,1,1,1,'{"call":"d55ac4e1930274e2fec53d1b538da693"}'),
(1,3,1795354003973,49872565,'attempt_running','exec',0,0,1,1,1,'{"pid":756,"pid_start":4987256}'),
(1,4,1795354003974,49872566,'attempt_ended','exec',0,0,1,1,1,'{"outcome":"exit","code":3,"ran_ms":6,"out_bytes":6,"err_bytes":0,"out_lines":1,"fingerprint":"641e0a3d4a2fb619cb7b1e2695f0f37d","new_permille":1000,"loop":{"raw":4591718280185980906,"bits":1,"gain":"line","lines":1}}'),
(1,5,1795354003974,49872566,'attempt_judged','exec',0,0,1,1,1,'{"class":"persistent","rule":"default"}'),
(1,6,1795354003974,49872566,'wait_started','exec',0,0,1,1,1,'{"delay_ms":500,"due_at_ms":1795354004474,"due_mono_ms":49873066,"exact_ms":500,"retry_number":1,"policy":"default","base_ms":500,"multiplier":2,"cap_ms":30000,"jitter":0,"used":1,"allowed":3}'),
(1,7,1795354004475,49873067,'wait_ended','exec',0,0,1,1,1,'{}'),
(1,8,1795354004475,49873067,'attempt_started','exec',0,0,1,1,2,'{"call":"d55ac4e1930274e2fec53d1b538da693"}'),
(1,9,1795354004476,49873068,'attempt_running','exec',0,0,1,1,2,'{"pid":815,"pid_start":4987306}'),
(1,10,1795354004477,49873069,'attempt_ended','exec',0,0,1,1,2,'{"outcome":"exit","code":3,"ran_ms":2,"out_bytes":6,"err_bytes":0,"out_lines":1,"fingerprint":"641e0a3d4a2fb619cb7b1e2695f0f37d","new_permille":0,"loop":{"raw":4591718280185980906,"bits":1,"lines":1}}'),
(1,11,1795354004477,49873069,'attempt_judged','exec',0,0,1,1,2,'{"class":"persistent","rule":"default"}'),
(1,12,1795354004477,49873069,'wait_started','exec',0,0,1,1,2,'{"delay_ms":1000,"due_at_ms":1795354005477,"due_mono_ms":49874069,"exact_ms":1000,"retry_number":2,"policy":"default","base_ms":500,"multiplier":2,"cap_ms":30000,"jitter":0,"used":2,"allowed":3}'),
(1,13,1795354005480,49874072,'wait_ended','exec',0,0,1,1,2,'{}'),
(1,14,1795354005480,49874072,'attempt_started','exec',0,0,1,1,3,'{"call":"d55ac4e1930274e2fec53d1b538da693"}'),
(1,15,1795354005484,49874076,'attempt_running','exec',0,0,1,1,3,'{"pid":954,"pid_start":4987407}'),
(1,16,1795354005484,49874077,'attempt_ended','exec',0,0,1,1,3,'{"outcome":"exit","code":3,"ran_ms":4,"out_bytes":6,"err_bytes":0,"out_lines":1,"fingerprint":"641e0a3d4a2fb619cb7b1e2695f0f37d","new_permille":0,"loop":{"raw":4591718280185980906,"bits":1,"lines":1}}'),
(1,17,1795354005484,49874077,'attempt_judged','exec',0,0,1,1,3,'{"class":"persistent","rule":"default"}'),
(1,18,1795354005484,49874077,'step_ended','exec',0,0,1,1,3,'{"decision":"retry exhausted","attempts":3,"entropy":true,"capture":true,"policy":"default","phase":"VERIFY","used":3,"allowed":3}'),
(1,19,1795354005484,49874077,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":1}');
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795354003974,CAST('hello'||char(10)||'' AS BLOB)),
(2,1,0,0,2,1,0,0,0,1795354004477,CAST('hello'||char(10)||'' AS BLOB)),
(3,1,0,0,3,1,0,0,0,1795354005485,CAST('hello'||char(10)||'' AS BLOB));
