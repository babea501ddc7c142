-- The tool proxy of an agent: each call is a task that is added to the run.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'889c5fda02422e98852a615f31a4a5a0','probe','mcp','/tmp/devs-golden/grows','devs mcp','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-3844794021517099168,8,3,962,4987414,1795354005752,1795354005870,1,19,1795354005870,3,1,2,0,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version":1,"name":"mcp","jobs":8,"grows":true,"idempotent":false,"tasks":[]}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795354005752,49874344,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":8,"by":"probe"}'),
(1,2,1795354005761,49874353,'task_added',NULL,NULL,NULL,NULL,NULL,NULL,'{"number":0,"task":{"id":"c00001","title":"execute_command echo one","steps":[{"phase":"GREEN","run":["echo","one"],"timeout_s":600,"idempotent":false}]}}'),
(1,3,1795354005761,49874353,'attempt_started','c00001',0,0,1,1,1,'{"call":"e616e2afe160c6fa99d6af264746782b"}'),
(1,4,1795354005802,49874394,'attempt_running','c00001',0,0,1,1,1,'{"pid":1000,"pid_start":4987439}'),
(1,5,1795354005802,49874395,'attempt_ended','c00001',0,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":3,"out_bytes":4,"err_bytes":0,"out_lines":1,"fingerprint":"429d70a6e5dd849d65aae9429e70c0eb","new_permille":1000}'),
(1,6,1795354005802,49874395,'step_ended','c00001',0,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,7,1795354005804,49874396,'task_added',NULL,NULL,NULL,NULL,NULL,NULL,'{"number":1,"task":{"id":"c00002","title":"execute_command sh -c echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1","steps":[{"phase":"GREEN","run":["sh","-c","echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1"],"timeout_s":600,"idempotent":false}]}}'),
(1,8,1795354005804,49874396,'attempt_started','c00002',1,0,1,1,1,'{"call":"61e3775bb81586d0dc0b8cee3ee91513"}'),
(1,9,1795354005830,49874422,'attempt_running','c00002',1,0,1,1,1,'{"pid":1005,"pid_start":4987442}'),
(1,10,1795354005833,49874425,'attempt_ended','c00002',1,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":3,"out_bytes":0,"err_bytes":34,"err_lines":1,"fingerprint":"454ff92bae62114c58d26729c430ebad","new_permille":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'),
(1,11,1795354005833,49874425,'attempt_judged','c00002',1,0,1,1,1,'{"class":"transient","type":"NETWORK_TIMEOUT","rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'),
(1,12,1795354005833,49874425,'step_ended','c00002',1,0,1,1,1,'{"decision":"transient exhausted","attempts":1,"entropy":true,"capture":true,"policy":"default","phase":"GREEN","used":1,"allowed":1}'),
(1,13,1795354005853,49874445,'task_added',NULL,NULL,NULL,NULL,NULL,NULL,'{"number":2,"task":{"id":"c00003","title":"execute_command false","steps":[{"phase":"GREEN","run":["false"],"timeout_s":600,"idempotent":false}]}}'),
(1,14,1795354005853,49874445,'attempt_started','c00003',2,0,1,1,1,'{"call":"224a9d3d0140e81ae65e3c2e236a3944"}'),
(1,15,1795354005855,49874447,'attempt_running','c00003',2,0,1,1,1,'{"pid":1006,"pid_start":4987444}'),
(1,16,1795354005855,49874447,'attempt_ended','c00003',2,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":0,"err_bytes":0,"fingerprint":"a441bec270a1f886ec1fcf163596b945","loop":{"raw":4118330637121115162,"bits":1}}'),
(1,17,1795354005855,49874447,'attempt_judged','c00003',2,0,1,1,1,'{"class":"persistent","rule":"default"}'),
(1,18,1795354005855,49874447,'step_ended','c00003',2,0,1,1,1,'{"decision":"retry exhausted","attempts":1,"entropy":true,"capture":true,"policy":"default","phase":"GREEN","used":1,"allowed":1}'),
(1,19,1795354005870,49874462,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":1}');
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795354005803,CAST('one'||char(10)||'' AS BLOB)),
(2,1,1,0,1,2,0,0,0,1795354005833,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB));
