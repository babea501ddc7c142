-- Tests that are to be red: as they should be, green, and red for another reason.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'0319dc89f8de5c8adb3bdfd6beb1f030','plan','plan','/tmp/devs-golden/expectations','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-6400327214430681651,1,4,31105,4985785,1795353989398,1795353989428,1,26,1795353989428,5,2,2,0,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "red", "steps": [{"run": ["sh", "-c", "echo ''not ok 1''; exit 1"], "phase": "RED", "expect": "failure"}, {"run": ["sh", "-c", "true"]}]}, {"id": "green", "steps": [{"run": ["sh", "-c", "echo ok"], "phase": "RED", "expect": "failure"}]}, {"id": "broken", "steps": [{"run": ["sh", "-c", "no-such-program"], "phase": "RED", "expect": "failure"}]}, {"id": "match", "steps": [{"run": ["sh", "-c", "echo ''not ok 7''; exit 1"], "phase": "RED", "expect": {"match": "not ok 7"}}]}], "jobs": 1}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353989402,49857994,1,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353989402,49857994,3,0,0,1,1,1,6857102411518849995,556411648812170895,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353989403,49857995,4,0,0,1,1,1,31144,4985799,NULL,NULL,NULL,NULL), -- attempt_running
(1,4,1795353989416,49858008,5,0,0,1,1,1,NULL,1,14,9,NULL,'{"cpu":1,"out_lines":1,"fp":"05c5dd87e5a644bb6bb80eb0f6d676b5","new":1000,"loop":{"raw":-6143344201902753917,"gain":"line","lines":1}}'), -- attempt_ended
(1,5,1795353989416,49858008,6,0,0,1,1,1,NULL,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 1"}'), -- attempt_judged
(1,6,1795353989416,49858008,9,0,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,7,1795353989416,49858008,3,0,1,1,1,1,840205839895491512,-5564439902941466865,NULL,NULL,NULL,NULL), -- attempt_started
(1,8,1795353989417,49858009,4,0,1,1,1,1,31147,4985800,NULL,NULL,NULL,NULL), -- attempt_running
(1,9,1795353989417,49858009,5,0,1,1,1,1,NULL,NULL,1,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,10,1795353989417,49858009,9,0,1,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,11,1795353989417,49858009,3,1,0,1,1,1,5501598308684002427,-4286993336085706654,NULL,NULL,NULL,NULL), -- attempt_started
(1,12,1795353989424,49858016,4,1,0,1,1,1,31148,4985801,NULL,NULL,NULL,NULL), -- attempt_running
(1,13,1795353989424,49858016,5,1,0,1,1,1,NULL,NULL,7,3,NULL,'{"out_lines":1,"fp":"d32d9da97eb9a6aa5c8e11126a411948","fails":true,"new":1000,"loop":{"raw":7827255365362675922,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,14,1795353989424,49858016,6,1,0,1,1,1,2,NULL,NULL,NULL,NULL,'{"expectation":1,"rule":"expect.failure"}'), -- attempt_judged
(1,15,1795353989424,49858016,9,1,0,1,1,1,2,1,1,1,NULL,'{"policy":"default","phase":"RED","used":1,"allowed":1}'), -- step_ended
(1,16,1795353989424,49858016,3,2,0,1,1,1,-7525835161666222020,1649038618679996506,NULL,NULL,NULL,NULL), -- attempt_started
(1,17,1795353989426,49858018,4,2,0,1,1,1,31149,4985801,NULL,NULL,NULL,NULL), -- attempt_running
(1,18,1795353989426,49858018,5,2,0,1,1,1,NULL,127,1,NULL,34,'{"err_lines":1,"fp":"ec4285f695cc6cb01cf4902ff57af3a4","new":1000,"loop":{"raw":-1680292334026524527,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,19,1795353989426,49858018,6,2,0,1,1,1,2,NULL,4,NULL,NULL,'{"expectation":2,"rule":"shell.127","subtype":"COMMAND_NOT_FOUND","stream":"stderr","offset":0,"line":1,"match":"sh: 1: no-such-program: not found"}'), -- attempt_judged
(1,20,1795353989426,49858018,9,2,0,1,1,1,2,1,1,1,NULL,'{"policy":"default","phase":"RED","used":1,"allowed":1}'), -- step_ended
(1,21,1795353989426,49858018,3,3,0,1,1,1,-2735984355854132911,-1910050322793304423,NULL,NULL,NULL,NULL), -- attempt_started
(1,22,1795353989428,49858020,4,3,0,1,1,1,31150,4985801,NULL,NULL,NULL,NULL), -- attempt_running
(1,23,1795353989428,49858020,5,3,0,1,1,1,NULL,1,1,9,NULL,'{"out_lines":1,"fp":"08a88af8125a075ab50f1f4ed387b8d8","new":1000}'), -- attempt_ended
(1,24,1795353989428,49858020,6,3,0,1,1,1,NULL,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 7"}'), -- attempt_judged
(1,25,1795353989428,49858020,9,3,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,26,1795353989428,49858020,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353989416,CAST('not ok 1'||char(10)||'' AS BLOB)),
(2,1,1,0,1,1,0,0,0,1795353989424,CAST('ok'||char(10)||'' AS BLOB)),
(3,1,2,0,1,2,0,0,0,1795353989426,CAST('sh: 1: no-such-program: not found'||char(10)||'' AS BLOB)),
(4,1,3,0,1,1,0,0,0,1795353989428,CAST('not ok 7'||char(10)||'' AS BLOB));
