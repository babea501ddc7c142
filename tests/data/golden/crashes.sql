-- devs is killed twice: what ran is interrupted, an act is answered without it, and it goes on.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'b6efb4d7032b4bb3f043fa1a5cc6b9f1','plan','plan','/tmp/devs-golden/crashes','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-8398563612949775143,3,4,31667,4986328,1795353994053,1795353996745,1,45,1795353996745,7,3,1,0,2670,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "first", "steps": [{"run": ["sh", "-c", "true"]}]}, {"id": "sleeps", "steps": [{"run": ["sh", "-c", "n=$(cat c 2>/dev/null || echo 0); n=$((n+1)); echo $n >c; [ $n -ge 3 ] || { sleep 600; }"]}]}, {"id": "later", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["sleeps"]}, {"id": "waits", "steps": [{"run": ["sh", "-c", "echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1"], "policy": "slow"}]}], "jobs": 3, "policies": {"slow": {"like": "transport", "max_attempts": 2, "base_delay_ms": 2000}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353994053,49862645,1,NULL,NULL,NULL,NULL,NULL,3,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353994053,49862645,3,0,0,1,1,1,-6947321440928107157,-7374730693076710832,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353994053,49862645,3,1,0,1,1,1,3581184942405294348,-7108166464615955668,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795353994053,49862645,3,3,0,1,1,1,1468290332988775388,3400141396573707214,NULL,NULL,NULL,NULL), -- attempt_started
(1,5,1795353994058,49862650,4,0,0,1,1,1,31571,4986264,NULL,NULL,NULL,NULL), -- attempt_running
(1,6,1795353994060,49862652,4,1,0,1,1,1,31572,4986265,NULL,NULL,NULL,NULL), -- attempt_running
(1,7,1795353994061,49862653,4,3,0,1,1,1,31574,4986265,NULL,NULL,NULL,NULL), -- attempt_running
(1,8,1795353994061,49862653,5,0,0,1,1,1,NULL,NULL,7,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,9,1795353994061,49862653,9,0,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,10,1795353994066,49862658,5,3,0,1,1,1,NULL,1,6,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'), -- attempt_ended
(1,11,1795353994066,49862658,6,3,0,1,1,1,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,12,1795353994066,49862658,7,3,0,1,1,1,2665,1795353996731,49865323,2000,NULL,'{"policy":"slow","n":1,"base":2000,"multiplier":2,"cap":60000,"jitter":0.5,"factor":1.3326352395146119,"hint":-1,"used":1,"allowed":2}'), -- wait_started
(1,13,1795353994213,49862805,12,2,0,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- task_held
(1,14,1795353994213,49862805,15,2,0,1,1,NULL,1,1,3,NULL,NULL,'{"answer":"held: no new tries until it is released","by":"root"}'), -- control_answered
(1,15,1795353994589,49863181,22,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_recovered
(1,16,1795353994589,49863181,5,1,0,1,1,1,5,NULL,NULL,NULL,NULL,NULL), -- attempt_ended
(1,17,1795353994589,49863181,6,1,0,1,1,1,1,7,NULL,NULL,NULL,'{"rule":"known.interrupted","subtype":"INTERRUPTED"}'), -- attempt_judged
(1,18,1795353994589,49863181,7,1,0,1,1,1,NULL,1795353994589,49863181,NULL,NULL,'{"policy":"default","n":1,"base":500,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":3,"interrupted":1}'), -- wait_started
(1,19,1795353994589,49863181,8,1,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,20,1795353994589,49863181,3,1,0,1,1,2,3581184942405294348,-7108166464615955668,NULL,NULL,NULL,NULL), -- attempt_started
(1,21,1795353994589,49863181,18,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"killed what was left of the run: sh (pid 31572), sleep (pid 31579)"}'), -- note
(1,22,1795353994591,49863183,4,1,0,1,1,2,31644,4986318,NULL,NULL,NULL,NULL), -- attempt_running
(1,23,1795353994675,49863267,13,2,0,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- task_released
(1,24,1795353994675,49863267,15,2,0,1,1,NULL,2,1,4,NULL,NULL,'{"answer":"released","by":"root"}'), -- control_answered
(1,25,1795353994903,49863495,22,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_recovered
(1,26,1795353994903,49863495,5,1,0,1,1,2,5,NULL,NULL,NULL,NULL,NULL), -- attempt_ended
(1,27,1795353994903,49863495,6,1,0,1,1,2,1,7,NULL,NULL,NULL,'{"rule":"known.interrupted","subtype":"INTERRUPTED"}'), -- attempt_judged
(1,28,1795353994903,49863495,7,1,0,1,1,2,NULL,1795353994903,49863495,NULL,NULL,'{"policy":"default","n":1,"base":500,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":3,"interrupted":2}'), -- wait_started
(1,29,1795353994903,49863495,8,1,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,30,1795353994903,49863495,3,1,0,1,1,3,3581184942405294348,-7108166464615955668,NULL,NULL,NULL,NULL), -- attempt_started
(1,31,1795353994903,49863495,18,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"killed what was left of the run: sh (pid 31644), sleep (pid 31648)"}'), -- note
(1,32,1795353994913,49863505,4,1,0,1,1,3,31715,4986349,NULL,NULL,NULL,NULL), -- attempt_running
(1,33,1795353994923,49863515,5,1,0,1,1,3,NULL,NULL,17,NULL,NULL,'{"cpu":2,"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,34,1795353994923,49863515,9,1,0,1,1,3,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,35,1795353994923,49863515,3,2,0,1,1,1,-6947321440928107157,-7374730693076710832,NULL,NULL,NULL,NULL), -- attempt_started
(1,36,1795353994925,49863517,4,2,0,1,1,1,31719,4986351,NULL,NULL,NULL,NULL), -- attempt_running
(1,37,1795353994925,49863517,5,2,0,1,1,1,NULL,NULL,1,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,38,1795353994925,49863517,9,2,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,39,1795353996735,49865328,8,3,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,40,1795353996735,49865328,3,3,0,1,1,2,1468290332988775388,3400141396573707214,NULL,NULL,NULL,NULL), -- attempt_started
(1,41,1795353996744,49865336,4,3,0,1,1,2,31997,4986533,NULL,NULL,NULL,NULL), -- attempt_running
(1,42,1795353996745,49865337,5,3,0,1,1,2,NULL,1,1,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'), -- attempt_ended
(1,43,1795353996745,49865337,6,3,0,1,1,2,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,44,1795353996745,49865337,9,3,0,1,1,2,4,2,1,1,NULL,'{"policy":"slow","phase":"GREEN","used":2,"allowed":2}'), -- step_ended
(1,45,1795353996745,49865337,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO control(id, run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms, answer, done) VALUES
(1,1,3,2,NULL,NULL,NULL,'root',1795353994200,1795353994201,1795353994213,'held: no new tries until it is released',1),
(2,1,4,2,NULL,NULL,NULL,'root',1795353994670,1795353994671,1795353994675,'released',1);
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,3,0,1,2,0,0,0,1795353994066,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(2,1,3,0,2,2,0,0,0,1795353996745,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB));
