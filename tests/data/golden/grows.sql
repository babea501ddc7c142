-- The tool proxy of an agent: each call is a task that is added to the run.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'889c5fda02422e98852a615f31a4a5a0','probe','mcp','/tmp/devs-golden/grows','devs mcp','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-3844794021517099168,8,3,962,4987414,1795354005752,1795354005870,1,19,1795354005870,3,1,2,0,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version":1,"name":"mcp","jobs":8,"grows":true,"idempotent":false,"tasks":[]}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795354005752,49874344,1,NULL,NULL,NULL,NULL,NULL,8,NULL,NULL,NULL,NULL,'{"by":"probe"}'), -- run_started
(1,2,1795354005761,49874353,38,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"task":{"id":"c00001","title":"execute_command echo one","steps":[{"phase":"GREEN","run":["echo","one"],"timeout_s":600,"idempotent":false}]}}'), -- task_added
(1,3,1795354005761,49874353,3,0,0,1,1,1,-1867055750470121734,-7361503961951078357,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795354005802,49874394,4,0,0,1,1,1,1000,4987439,NULL,NULL,NULL,NULL), -- attempt_running
(1,5,1795354005802,49874395,5,0,0,1,1,1,NULL,NULL,3,4,NULL,'{"out_lines":1,"fp":"429d70a6e5dd849d65aae9429e70c0eb","new":1000}'), -- attempt_ended
(1,6,1795354005802,49874395,9,0,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,7,1795354005804,49874396,38,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"task":{"id":"c00002","title":"execute_command sh -c echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1","steps":[{"phase":"GREEN","run":["sh","-c","echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1"],"timeout_s":600,"idempotent":false}]}}'), -- task_added
(1,8,1795354005804,49874396,3,1,0,1,1,1,7053612677206476496,-2590822205736020717,NULL,NULL,NULL,NULL), -- attempt_started
(1,9,1795354005830,49874422,4,1,0,1,1,1,1005,4987442,NULL,NULL,NULL,NULL), -- attempt_running
(1,10,1795354005833,49874425,5,1,0,1,1,1,NULL,1,3,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'), -- attempt_ended
(1,11,1795354005833,49874425,6,1,0,1,1,1,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,12,1795354005833,49874425,9,1,0,1,1,1,4,1,1,1,NULL,'{"policy":"default","phase":"GREEN","used":1,"allowed":1}'), -- step_ended
(1,13,1795354005853,49874445,38,NULL,NULL,NULL,NULL,NULL,2,NULL,NULL,NULL,NULL,'{"task":{"id":"c00003","title":"execute_command false","steps":[{"phase":"GREEN","run":["false"],"timeout_s":600,"idempotent":false}]}}'), -- task_added
(1,14,1795354005853,49874445,3,2,0,1,1,1,2470960230905735194,-1846972628314998460,NULL,NULL,NULL,NULL), -- attempt_started
(1,15,1795354005855,49874447,4,2,0,1,1,1,1006,4987444,NULL,NULL,NULL,NULL), -- attempt_running
(1,16,1795354005855,49874447,5,2,0,1,1,1,NULL,1,1,NULL,NULL,'{"fp":"a441bec270a1f886ec1fcf163596b945","loop":{"raw":4118330637121115162,"bits":1}}'), -- attempt_ended
(1,17,1795354005855,49874447,6,2,0,1,1,1,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,18,1795354005855,49874447,9,2,0,1,1,1,3,1,1,1,NULL,'{"policy":"default","phase":"GREEN","used":1,"allowed":1}'), -- step_ended
(1,19,1795354005870,49874462,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795354005803,CAST('one'||char(10)||'' AS BLOB)),
(2,1,1,0,1,2,0,0,0,1795354005833,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB));
