-- The same result over and over: stopped, sent on by a person, stopped again.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'15dec1cc0fd22a87c58257d8eb1a400f','plan','plan','/tmp/devs-golden/circles','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',4325981959268577340,2,2,31416,4986141,1795353993004,1795353993192,3,42,1795353993192,7,1,1,0,63,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "loop", "steps": [{"run": ["sh", "-c", "echo same; exit 1"], "policy": "seeker"}]}, {"id": "open", "steps": [{"run": ["sh", "-c", "while [ ! -e done ]; do sleep 0.05; done"]}]}], "jobs": 2, "policies": {"seeker": {"like": "research", "base_delay_ms": 10, "max_attempts": 9}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353993005,49861597,1,NULL,NULL,NULL,NULL,NULL,2,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353993005,49861597,3,0,0,1,1,1,5502654918933272973,4881426024031091382,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353993005,49861597,3,1,0,1,1,1,8632307490764090893,5872913648675192299,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795353993009,49861601,4,0,0,1,1,1,31429,4986160,NULL,NULL,NULL,NULL), -- attempt_running
(1,5,1795353993016,49861608,4,1,0,1,1,1,31430,4986160,NULL,NULL,NULL,NULL), -- attempt_running
(1,6,1795353993016,49861608,5,0,0,1,1,1,NULL,1,8,5,NULL,'{"out_lines":1,"fp":"4bc6df7e3589159db15cd97c264fda84","new":1000,"loop":{"raw":1902839979288623920,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,7,1795353993016,49861608,6,0,0,1,1,1,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,8,1795353993016,49861608,7,0,0,1,1,1,10,1795353993026,49861618,10,NULL,'{"policy":"seeker","n":1,"base":10,"multiplier":2,"cap":60000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":9,"same":1,"window":3}'), -- wait_started
(1,9,1795353993028,49861620,8,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,10,1795353993028,49861620,3,0,0,1,1,2,5502654918933272973,4881426024031091382,NULL,NULL,NULL,NULL), -- attempt_started
(1,11,1795353993038,49861630,4,0,0,1,1,2,31435,4986162,NULL,NULL,NULL,NULL), -- attempt_running
(1,12,1795353993038,49861630,5,0,0,1,1,2,NULL,1,9,5,NULL,'{"out_lines":1,"fp":"4bc6df7e3589159db15cd97c264fda84","new":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'), -- attempt_ended
(1,13,1795353993038,49861630,6,0,0,1,1,2,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,14,1795353993038,49861630,7,0,0,1,1,2,20,1795353993058,49861650,20,NULL,'{"policy":"seeker","n":2,"base":10,"multiplier":2,"cap":60000,"jitter":0,"factor":1,"hint":-1,"used":2,"allowed":9,"same":2,"window":3}'), -- wait_started
(1,15,1795353993058,49861650,8,0,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,16,1795353993058,49861650,3,0,0,1,1,3,5502654918933272973,4881426024031091382,NULL,NULL,NULL,NULL), -- attempt_started
(1,17,1795353993069,49861661,4,0,0,1,1,3,31439,4986165,NULL,NULL,NULL,NULL), -- attempt_running
(1,18,1795353993069,49861661,5,0,0,1,1,3,NULL,1,11,5,NULL,'{"out_lines":1,"fp":"4bc6df7e3589159db15cd97c264fda84","new":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'), -- attempt_ended
(1,19,1795353993069,49861661,6,0,0,1,1,3,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,20,1795353993069,49861661,9,0,0,1,1,3,5,3,1,1,NULL,'{"policy":"seeker","phase":"GREEN","used":3,"allowed":9,"same":3,"window":3}'), -- step_ended
(1,21,1795353993137,49861729,10,0,0,1,2,3,2,9,2,NULL,NULL,'{"by":"root"}'), -- step_reopened
(1,22,1795353993137,49861729,15,0,0,1,2,3,1,1,2,NULL,NULL,'{"answer":"continues; stops again after 3 more equal results","by":"root"}'), -- control_answered
(1,23,1795353993137,49861729,3,0,0,1,2,4,5502654918933272973,4881426024031091382,NULL,NULL,NULL,NULL), -- attempt_started
(1,24,1795353993138,49861730,4,0,0,1,2,4,31451,4986173,NULL,NULL,NULL,NULL), -- attempt_running
(1,25,1795353993139,49861731,5,0,0,1,2,4,NULL,1,1,5,NULL,'{"out_lines":1,"fp":"4bc6df7e3589159db15cd97c264fda84","new":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'), -- attempt_ended
(1,26,1795353993139,49861731,6,0,0,1,2,4,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,27,1795353993139,49861731,7,0,0,1,2,4,10,1795353993149,49861741,10,NULL,'{"policy":"seeker","n":1,"base":10,"multiplier":2,"cap":60000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":9,"same":4,"window":6}'), -- wait_started
(1,28,1795353993149,49861741,8,0,0,1,2,4,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,29,1795353993149,49861741,3,0,0,1,2,5,5502654918933272973,4881426024031091382,NULL,NULL,NULL,NULL), -- attempt_started
(1,30,1795353993150,49861742,4,0,0,1,2,5,31453,4986174,NULL,NULL,NULL,NULL), -- attempt_running
(1,31,1795353993150,49861742,5,0,0,1,2,5,NULL,1,1,5,NULL,'{"out_lines":1,"fp":"4bc6df7e3589159db15cd97c264fda84","new":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'), -- attempt_ended
(1,32,1795353993150,49861742,6,0,0,1,2,5,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,33,1795353993150,49861742,7,0,0,1,2,5,20,1795353993170,49861762,20,NULL,'{"policy":"seeker","n":2,"base":10,"multiplier":2,"cap":60000,"jitter":0,"factor":1,"hint":-1,"used":2,"allowed":9,"same":5,"window":6}'), -- wait_started
(1,34,1795353993171,49861763,8,0,0,1,2,5,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,35,1795353993171,49861763,3,0,0,1,2,6,5502654918933272973,4881426024031091382,NULL,NULL,NULL,NULL), -- attempt_started
(1,36,1795353993171,49861763,4,0,0,1,2,6,31455,4986176,NULL,NULL,NULL,NULL), -- attempt_running
(1,37,1795353993172,49861764,5,0,0,1,2,6,NULL,1,1,5,NULL,'{"out_lines":1,"fp":"4bc6df7e3589159db15cd97c264fda84","new":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'), -- attempt_ended
(1,38,1795353993172,49861764,6,0,0,1,2,6,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,39,1795353993172,49861764,9,0,0,1,2,6,5,3,1,1,NULL,'{"policy":"seeker","phase":"GREEN","used":3,"allowed":9,"same":6,"window":6}'), -- step_ended
(1,40,1795353993192,49861784,5,1,0,1,1,1,NULL,NULL,183,NULL,NULL,'{"cpu":4,"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,41,1795353993192,49861784,9,1,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,42,1795353993192,49861784,2,NULL,NULL,NULL,NULL,NULL,3,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO control(id, run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms, answer, done) VALUES
(1,1,2,0,NULL,NULL,NULL,'root',1795353993136,1795353993137,1795353993137,'continues; stops again after 3 more equal results',1);
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353993016,CAST('same'||char(10)||'' AS BLOB)),
(2,1,0,0,2,1,0,0,0,1795353993038,CAST('same'||char(10)||'' AS BLOB)),
(3,1,0,0,3,1,0,0,0,1795353993069,CAST('same'||char(10)||'' AS BLOB)),
(4,1,0,0,4,1,0,0,0,1795353993139,CAST('same'||char(10)||'' AS BLOB)),
(5,1,0,0,5,1,0,0,0,1795353993150,CAST('same'||char(10)||'' AS BLOB)),
(6,1,0,0,6,1,0,0,0,1795353993172,CAST('same'||char(10)||'' AS BLOB));
