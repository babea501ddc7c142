-- Failures of the world and of the work: tried again, given up, and what needed it.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'5c6cea9d1bc270a9678cc6f18c08f4c6','plan','plan','/tmp/devs-golden/retries','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',3380946389747589625,2,5,31015,4985737,1795353988994,1795353989211,1,71,1795353989211,12,1,4,0,339,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "flaky", "steps": [{"run": ["sh", "-c", "n=$(cat a 2>/dev/null || echo 0); n=$((n+1)); echo $n >a; [ $n -ge 3 ] || { echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1; }"], "policy": "fast"}]}, {"id": "down", "steps": [{"run": ["sh", "-c", "echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1"], "policy": "soon"}]}, {"id": "wrong", "steps": [{"run": ["sh", "-c", "echo ''not ok 1 - tax''; exit 1"], "policy": "fast"}]}, {"id": "usage", "steps": [{"run": ["sh", "-c", "exit 2"], "phase": "RED"}]}, {"id": "after", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["wrong"]}], "jobs": 2, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353988994,49857586,1,NULL,NULL,NULL,NULL,NULL,2,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353988994,49857586,3,0,0,1,1,1,4723041810074192355,-1043390349772546540,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353988994,49857586,3,1,0,1,1,1,-7957147045121366465,-4197039830786110237,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795353989013,49857605,4,0,0,1,1,1,31027,4985758,NULL,NULL,NULL,NULL), -- attempt_running
(1,5,1795353989018,49857611,4,1,0,1,1,1,31034,4985760,NULL,NULL,NULL,NULL), -- attempt_running
(1,6,1795353989019,49857611,5,1,0,1,1,1,NULL,1,6,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'), -- attempt_ended
(1,7,1795353989019,49857611,6,1,0,1,1,1,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,8,1795353989019,49857611,7,1,0,1,1,1,20,1795353989039,49857631,20,NULL,'{"policy":"soon","n":1,"base":20,"multiplier":2,"cap":200,"jitter":0.5,"factor":1.0131135797137238,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,9,1795353989019,49857611,3,2,0,1,1,1,-8771238219063050958,7073013596796510733,NULL,NULL,NULL,NULL), -- attempt_started
(1,10,1795353989043,49857635,4,2,0,1,1,1,31037,4985761,NULL,NULL,NULL,NULL), -- attempt_running
(1,11,1795353989043,49857635,8,1,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,12,1795353989043,49857635,5,0,0,1,1,1,NULL,1,48,NULL,34,'{"cpu":2,"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'), -- attempt_ended
(1,13,1795353989043,49857635,6,0,0,1,1,1,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,14,1795353989043,49857635,7,0,0,1,1,1,20,1795353989063,49857655,20,NULL,'{"policy":"fast","n":1,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,15,1795353989043,49857635,3,1,0,1,1,2,-7957147045121366465,-4197039830786110237,NULL,NULL,NULL,NULL), -- attempt_started
(1,16,1795353989044,49857636,5,2,0,1,1,1,NULL,1,25,15,NULL,'{"out_lines":1,"fp":"6770431befc79b92d239072bcedf26ac","new":1000,"loop":{"raw":1001160690150240882,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,17,1795353989044,49857636,6,2,0,1,1,1,2,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 1 - tax"}'), -- attempt_judged
(1,18,1795353989044,49857636,7,2,0,1,1,1,20,1795353989064,49857656,20,NULL,'{"policy":"fast","n":1,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,19,1795353989044,49857636,3,3,0,1,1,1,-7144397696581626031,-5038463902831829486,NULL,NULL,NULL,NULL), -- attempt_started
(1,20,1795353989045,49857637,4,1,0,1,1,2,31038,4985763,NULL,NULL,NULL,NULL), -- attempt_running
(1,21,1795353989053,49857645,4,3,0,1,1,1,31039,4985763,NULL,NULL,NULL,NULL), -- attempt_running
(1,22,1795353989053,49857645,5,1,0,1,1,2,NULL,1,9,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'), -- attempt_ended
(1,23,1795353989053,49857645,6,1,0,1,1,2,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,24,1795353989053,49857645,7,1,0,1,1,2,20,1795353989073,49857665,40,NULL,'{"policy":"soon","n":2,"base":20,"multiplier":2,"cap":200,"jitter":0.5,"factor":0.52425724199881896,"hint":-1,"used":2,"allowed":4}'), -- wait_started
(1,25,1795353989053,49857645,5,3,0,1,1,1,NULL,2,8,NULL,NULL,'{"fp":"fb03a7015bfb0d4f802a3565efcc7fea","loop":{"raw":4118330637121115162,"bits":1}}'), -- attempt_ended
(1,26,1795353989053,49857645,6,3,0,1,1,1,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,27,1795353989053,49857645,9,3,0,1,1,1,2,1,1,1,NULL,'{"policy":"default","phase":"RED","used":1,"allowed":1}'), -- step_ended
(1,28,1795353989064,49857656,8,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,29,1795353989064,49857656,8,2,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,30,1795353989064,49857656,3,0,0,1,1,2,4723041810074192355,-1043390349772546540,NULL,NULL,NULL,NULL), -- attempt_started
(1,31,1795353989064,49857656,3,2,0,1,1,2,-8771238219063050958,7073013596796510733,NULL,NULL,NULL,NULL), -- attempt_started
(1,32,1795353989072,49857664,4,0,0,1,1,2,31040,4985765,NULL,NULL,NULL,NULL), -- attempt_running
(1,33,1795353989075,49857667,4,2,0,1,1,2,31046,4985766,NULL,NULL,NULL,NULL), -- attempt_running
(1,34,1795353989075,49857667,8,1,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,35,1795353989075,49857667,5,2,0,1,1,2,NULL,1,3,15,NULL,'{"out_lines":1,"fp":"6770431befc79b92d239072bcedf26ac","new":0,"loop":{"raw":1001160690150240882,"bits":1,"lines":1}}'), -- attempt_ended
(1,36,1795353989075,49857667,6,2,0,1,1,2,2,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 1 - tax"}'), -- attempt_judged
(1,37,1795353989075,49857667,7,2,0,1,1,2,40,1795353989115,49857707,40,NULL,'{"policy":"fast","n":2,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":2,"allowed":4}'), -- wait_started
(1,38,1795353989075,49857667,3,1,0,1,1,3,-7957147045121366465,-4197039830786110237,NULL,NULL,NULL,NULL), -- attempt_started
(1,39,1795353989076,49857668,4,1,0,1,1,3,31047,4985766,NULL,NULL,NULL,NULL), -- attempt_running
(1,40,1795353989077,49857669,5,1,0,1,1,3,NULL,1,1,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'), -- attempt_ended
(1,41,1795353989077,49857669,6,1,0,1,1,3,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,42,1795353989077,49857669,7,1,0,1,1,3,92,1795353989169,49857761,80,NULL,'{"policy":"soon","n":3,"base":20,"multiplier":2,"cap":200,"jitter":0.5,"factor":1.1563265526970414,"hint":-1,"used":3,"allowed":4}'), -- wait_started
(1,43,1795353989078,49857670,5,0,0,1,1,2,NULL,1,14,NULL,34,'{"cpu":2,"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'), -- attempt_ended
(1,44,1795353989078,49857670,6,0,0,1,1,2,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,45,1795353989078,49857670,7,0,0,1,1,2,40,1795353989118,49857710,40,NULL,'{"policy":"fast","n":2,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":2,"allowed":4}'), -- wait_started
(1,46,1795353989115,49857707,8,2,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,47,1795353989115,49857707,3,2,0,1,1,3,-8771238219063050958,7073013596796510733,NULL,NULL,NULL,NULL), -- attempt_started
(1,48,1795353989118,49857710,4,2,0,1,1,3,31058,4985770,NULL,NULL,NULL,NULL), -- attempt_running
(1,49,1795353989118,49857710,8,0,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,50,1795353989118,49857710,3,0,0,1,1,3,4723041810074192355,-1043390349772546540,NULL,NULL,NULL,NULL), -- attempt_started
(1,51,1795353989118,49857710,5,2,0,1,1,3,NULL,1,2,15,NULL,'{"out_lines":1,"fp":"6770431befc79b92d239072bcedf26ac","new":0,"loop":{"raw":1001160690150240882,"bits":1,"lines":1}}'), -- attempt_ended
(1,52,1795353989118,49857710,6,2,0,1,1,3,2,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 1 - tax"}'), -- attempt_judged
(1,53,1795353989118,49857710,23,2,0,1,1,3,1,1,3,3,NULL,'{"rung":"repeat","count":3,"period":1,"first":1,"last":3,"identity":"1c5dbfac98dd93fef6be645e360e5ea9","why":"the same call with the same result, 3 times in a row","nudge":"You may be in a loop: the same call with the same result, 3 times in a row, last `sh -c echo ''not ok 1 - tax''; exit 1`. Please do something else, or say what blocks you."}'), -- loop_suspected
(1,54,1795353989118,49857710,7,2,0,1,1,3,80,1795353989198,49857790,80,NULL,'{"policy":"fast","n":3,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":3,"allowed":4}'), -- wait_started
(1,55,1795353989120,49857713,4,0,0,1,1,3,31061,4985771,NULL,NULL,NULL,NULL), -- attempt_running
(1,56,1795353989129,49857721,5,0,0,1,1,3,NULL,NULL,11,NULL,NULL,'{"cpu":2,"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,57,1795353989129,49857721,9,0,0,1,1,3,NULL,3,NULL,NULL,NULL,NULL), -- step_ended
(1,58,1795353989169,49857761,8,1,0,1,1,3,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,59,1795353989169,49857761,3,1,0,1,1,4,-7957147045121366465,-4197039830786110237,NULL,NULL,NULL,NULL), -- attempt_started
(1,60,1795353989175,49857767,4,1,0,1,1,4,31081,4985776,NULL,NULL,NULL,NULL), -- attempt_running
(1,61,1795353989185,49857777,5,1,0,1,1,4,NULL,1,10,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'), -- attempt_ended
(1,62,1795353989185,49857777,6,1,0,1,1,4,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,63,1795353989185,49857777,9,1,0,1,1,4,4,4,1,1,NULL,'{"policy":"soon","phase":"GREEN","used":4,"allowed":4}'), -- step_ended
(1,64,1795353989198,49857790,8,2,0,1,1,3,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,65,1795353989198,49857790,3,2,0,1,1,4,-8771238219063050958,7073013596796510733,NULL,NULL,NULL,NULL), -- attempt_started
(1,66,1795353989211,49857803,4,2,0,1,1,4,31101,4985780,NULL,NULL,NULL,NULL), -- attempt_running
(1,67,1795353989211,49857803,5,2,0,1,1,4,NULL,1,3,15,NULL,'{"out_lines":1,"fp":"6770431befc79b92d239072bcedf26ac","new":0,"loop":{"raw":1001160690150240882,"bits":1,"lines":1}}'), -- attempt_ended
(1,68,1795353989211,49857803,6,2,0,1,1,4,2,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 1 - tax"}'), -- attempt_judged
(1,69,1795353989211,49857803,9,2,0,1,1,4,3,4,1,1,NULL,'{"policy":"fast","phase":"GREEN","used":4,"allowed":4}'), -- step_ended
(1,70,1795353989211,49857803,11,4,0,1,1,NULL,2,NULL,NULL,NULL,NULL,NULL), -- task_blocked
(1,71,1795353989211,49857803,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(2,1,0,0,1,2,0,0,0,1795353989044,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(7,1,0,0,2,2,0,0,0,1795353989078,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(1,1,1,0,1,2,0,0,0,1795353989019,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(4,1,1,0,2,2,0,0,0,1795353989053,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(6,1,1,0,3,2,0,0,0,1795353989077,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(9,1,1,0,4,2,0,0,0,1795353989185,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(3,1,2,0,1,1,0,0,0,1795353989044,CAST('not ok 1 - tax'||char(10)||'' AS BLOB)),
(5,1,2,0,2,1,0,0,0,1795353989075,CAST('not ok 1 - tax'||char(10)||'' AS BLOB)),
(8,1,2,0,3,1,0,0,0,1795353989118,CAST('not ok 1 - tax'||char(10)||'' AS BLOB)),
(10,1,2,0,4,1,0,0,0,1795353989211,CAST('not ok 1 - tax'||char(10)||'' AS BLOB));
