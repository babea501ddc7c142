-- A person holds, releases, sends, gives a hint, cancels and corrects.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'892a353d02a32e0dae30b2145a8cf3f9','plan','plan','/tmp/devs-golden/acts','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',1871982848012068,3,5,31465,4986184,1795353993402,1795353993741,1,45,1795353993856,6,3,1,1,407,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "held", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["waits"]}, {"id": "waits", "steps": [{"run": ["sh", "-c", "n=$(cat w 2>/dev/null || echo 0); n=$((n+1)); echo $n >w; [ $n -ge 2 ] || { echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1; }"], "policy": "slow"}]}, {"id": "hinted", "steps": [{"run": ["sh", "-c", "n=$(cat h 2>/dev/null || echo 0); n=$((n+1)); echo $n >h; [ $n -ge 2 ] || { echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1; }"], "policy": "slow"}]}, {"id": "sleeps", "steps": [{"run": ["sh", "-c", "echo there; sleep 600"]}]}, {"id": "never", "steps": [{"run": ["sh", "-c", "echo there; sleep 600"]}], "needs": ["sleeps"]}], "jobs": 3, "policies": {"slow": {"like": "transport", "base_delay_ms": 600000, "cap_ms": 600000, "jitter": 0}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353993403,49861995,1,NULL,NULL,NULL,NULL,NULL,3,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353993403,49861995,3,1,0,1,1,1,3843346702051991619,2878029297160862373,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353993403,49861995,3,2,0,1,1,1,1880141542331787941,37019756761042077,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795353993403,49861995,3,3,0,1,1,1,91023154371135536,4933204336629717223,NULL,NULL,NULL,NULL), -- attempt_started
(1,5,1795353993404,49861996,4,1,0,1,1,1,31485,4986199,NULL,NULL,NULL,NULL), -- attempt_running
(1,6,1795353993408,49862000,4,2,0,1,1,1,31488,4986199,NULL,NULL,NULL,NULL), -- attempt_running
(1,7,1795353993415,49862007,4,3,0,1,1,1,31491,4986200,NULL,NULL,NULL,NULL), -- attempt_running
(1,8,1795353993416,49862008,5,1,0,1,1,1,NULL,1,13,NULL,34,'{"cpu":2,"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'), -- attempt_ended
(1,9,1795353993416,49862008,6,1,0,1,1,1,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,10,1795353993416,49862008,7,1,0,1,1,1,600000,1795354593416,50462008,600000,NULL,'{"policy":"slow","n":1,"base":600000,"multiplier":2,"cap":600000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,11,1795353993438,49862030,5,2,0,1,1,1,NULL,1,34,NULL,34,'{"cpu":2,"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'), -- attempt_ended
(1,12,1795353993438,49862030,6,2,0,1,1,1,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,13,1795353993438,49862030,7,2,0,1,1,1,600000,1795354593438,50462030,600000,NULL,'{"policy":"slow","n":1,"base":600000,"multiplier":2,"cap":600000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,14,1795353993550,49862142,12,0,0,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- task_held
(1,15,1795353993550,49862142,15,0,0,1,1,NULL,1,1,3,NULL,NULL,'{"answer":"held: no new tries until it is released","by":"root"}'), -- control_answered
(1,16,1795353993588,49862180,15,0,0,1,1,NULL,2,NULL,3,NULL,NULL,'{"answer":"it is already held","by":"root"}'), -- control_answered
(1,17,1795353993614,49862206,15,3,0,1,1,1,3,NULL,2,NULL,NULL,'{"answer":"it is running","by":"root"}'), -- control_answered
(1,18,1795353993624,49862216,8,1,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- wait_ended
(1,19,1795353993624,49862216,15,1,0,1,1,1,4,1,2,NULL,NULL,'{"answer":"starts with the next free slot","by":"root"}'), -- control_answered
(1,20,1795353993624,49862216,3,1,0,1,1,2,3843346702051991619,2878029297160862373,NULL,NULL,NULL,NULL), -- attempt_started
(1,21,1795353993637,49862229,4,1,0,1,1,2,31522,4986221,NULL,NULL,NULL,NULL), -- attempt_running
(1,22,1795353993637,49862229,39,2,0,1,1,1,4,NULL,NULL,NULL,NULL,'{"hint":"look at go","by":"root"}'), -- hint_given
(1,23,1795353993637,49862229,8,2,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- wait_ended
(1,24,1795353993637,49862229,15,2,0,1,1,1,5,1,2,NULL,NULL,'{"answer":"starts with the next free slot; 3 tries from now on; your hint is kept as a note, this step has no agent","by":"root"}'), -- control_answered
(1,25,1795353993637,49862229,3,2,0,1,1,2,1880141542331787941,37019756761042077,NULL,NULL,NULL,NULL), -- attempt_started
(1,26,1795353993647,49862239,4,2,0,1,1,2,31528,4986223,NULL,NULL,NULL,NULL), -- attempt_running
(1,27,1795353993647,49862239,5,1,0,1,1,2,NULL,NULL,21,NULL,NULL,'{"cpu":2,"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,28,1795353993647,49862239,9,1,0,1,1,2,NULL,2,NULL,NULL,NULL,NULL), -- step_ended
(1,29,1795353993660,49862252,5,2,0,1,1,2,NULL,NULL,20,NULL,NULL,'{"cpu":2,"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,30,1795353993660,49862252,9,2,0,1,1,2,NULL,2,NULL,NULL,NULL,NULL), -- step_ended
(1,31,1795353993683,49862275,13,0,0,1,1,NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- task_released
(1,32,1795353993683,49862275,15,0,0,1,1,NULL,6,1,4,NULL,NULL,'{"answer":"released","by":"root"}'), -- control_answered
(1,33,1795353993683,49862275,3,0,0,1,1,1,4773718657833007475,9037100532748399872,NULL,NULL,NULL,NULL), -- attempt_started
(1,34,1795353993690,49862282,4,0,0,1,1,1,31541,4986228,NULL,NULL,NULL,NULL), -- attempt_running
(1,35,1795353993690,49862282,5,0,0,1,1,1,NULL,NULL,1,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,36,1795353993690,49862282,9,0,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,37,1795353993737,49862329,14,3,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- cancel_asked
(1,38,1795353993737,49862329,15,3,0,1,1,1,7,1,1,NULL,NULL,'{"answer":"TERM sent to its group, KILL follows","by":"root"}'), -- control_answered
(1,39,1795353993741,49862333,5,3,0,1,1,1,4,143,332,6,NULL,'{"cpu":2,"out_lines":1,"fp":"a9dc2ba277106ce78f8ea6b927fb0a50"}'), -- attempt_ended
(1,40,1795353993741,49862333,6,3,0,1,1,1,2,NULL,19,NULL,NULL,'{"rule":"known.cancelled"}'), -- attempt_judged
(1,41,1795353993741,49862333,9,3,0,1,1,1,7,1,NULL,1,NULL,'{"policy":"default","phase":"GREEN","used":1,"allowed":3}'), -- step_ended
(1,42,1795353993741,49862333,11,4,0,1,1,NULL,3,NULL,NULL,NULL,NULL,NULL), -- task_blocked
(1,43,1795353993741,49862333,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL), -- run_ended
(1,44,1795353993856,49862448,21,1,0,1,1,1,1,1,NULL,NULL,NULL,'{"by":"root"}'), -- class_corrected
(1,45,1795353993856,49862448,15,1,0,1,1,2,8,1,6,NULL,NULL,'{"answer":"try 1 is now NETWORK_TIMEOUT; the original verdict is kept","by":"root"}'); -- control_answered
INSERT INTO control(id, run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms, answer, done) VALUES
(1,1,3,0,NULL,NULL,NULL,'root',1795353993549,1795353993550,1795353993550,'held: no new tries until it is released',1),
(2,1,3,0,NULL,NULL,NULL,'root',1795353993582,1795353993587,1795353993588,'it is already held',0),
(3,1,2,3,NULL,NULL,NULL,'root',1795353993610,1795353993613,1795353993614,'it is running',0),
(4,1,2,1,NULL,NULL,NULL,'root',1795353993621,1795353993622,1795353993624,'starts with the next free slot',1),
(5,1,2,2,NULL,NULL,'{"hint":"look at go","attempts":3}','root',1795353993633,1795353993636,1795353993637,'starts with the next free slot; 3 tries from now on; your hint is kept as a note, this step has no agent',1),
(6,1,4,0,NULL,NULL,NULL,'root',1795353993679,1795353993683,1795353993683,'released',1),
(7,1,1,3,NULL,NULL,'{"mode":"term"}','root',1795353993718,1795353993737,1795353993737,'TERM sent to its group, KILL follows',1),
(8,1,6,1,0,1,'{"class":"NETWORK_TIMEOUT"}','root',1795353993819,1795353993832,1795353993856,'try 1 is now NETWORK_TIMEOUT; the original verdict is kept',1);
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,1,0,1,2,0,0,0,1795353993416,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(2,1,2,0,1,2,0,0,0,1795353993438,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(3,1,3,0,1,1,0,0,0,1795353993458,CAST('there'||char(10)||'' AS BLOB));
