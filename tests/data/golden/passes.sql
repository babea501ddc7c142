-- Three tasks that need each other, and one beside them.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'f58b1f0b530e6cd363673a9ecb3aac0f','plan','plan','/tmp/devs-golden/passes','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-7079194726779311177,2,4,30991,4985708,1795353988653,1795353988680,0,22,1795353988680,5,4,0,0,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "lexer", "steps": [{"run": ["sh", "-c", "echo ok"]}]}, {"id": "parser", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["lexer"]}, {"id": "docs", "steps": [{"run": ["sh", "-c", "true"]}, {"run": ["sh", "-c", "true"]}]}, {"id": "all", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["parser", "docs"]}], "jobs": 2}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353988656,49857248,1,NULL,NULL,NULL,NULL,NULL,2,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353988656,49857248,3,0,0,1,1,1,5136474751846017035,4127499496042054865,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353988656,49857248,3,2,0,1,1,1,6754003969786922850,5762800668055875359,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795353988658,49857250,4,0,0,1,1,1,31005,4985724,NULL,NULL,NULL,NULL), -- attempt_running
(1,5,1795353988664,49857256,4,2,0,1,1,1,31006,4985725,NULL,NULL,NULL,NULL), -- attempt_running
(1,6,1795353988668,49857260,5,0,0,1,1,1,NULL,NULL,12,3,NULL,'{"cpu":1,"out_lines":1,"fp":"d32d9da97eb9a6aa5c8e11126a411948","new":1000}'), -- attempt_ended
(1,7,1795353988668,49857260,9,0,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,8,1795353988668,49857260,3,1,0,1,1,1,6754003969786922850,5762800668055875359,NULL,NULL,NULL,NULL), -- attempt_started
(1,9,1795353988668,49857260,5,2,0,1,1,1,NULL,NULL,10,NULL,NULL,'{"cpu":1,"fp":"d4817aa5497628e7c77e6b606107042b","loop":{"raw":4118330637121115162,"bits":8,"gain":"silent"}}'), -- attempt_ended
(1,10,1795353988668,49857260,9,2,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,11,1795353988668,49857260,3,2,1,1,1,1,6754003969786922850,5762800668055875359,NULL,NULL,NULL,NULL), -- attempt_started
(1,12,1795353988676,49857269,4,1,0,1,1,1,31007,4985726,NULL,NULL,NULL,NULL), -- attempt_running
(1,13,1795353988677,49857269,4,2,1,1,1,1,31008,4985726,NULL,NULL,NULL,NULL), -- attempt_running
(1,14,1795353988677,49857269,5,1,0,1,1,1,NULL,NULL,9,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,15,1795353988677,49857269,9,1,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,16,1795353988677,49857270,5,2,1,1,1,1,NULL,NULL,1,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,17,1795353988677,49857270,9,2,1,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,18,1795353988677,49857270,3,3,0,1,1,1,6754003969786922850,5762800668055875359,NULL,NULL,NULL,NULL), -- attempt_started
(1,19,1795353988679,49857272,4,3,0,1,1,1,31009,4985727,NULL,NULL,NULL,NULL), -- attempt_running
(1,20,1795353988680,49857272,5,3,0,1,1,1,NULL,NULL,2,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,21,1795353988680,49857272,9,3,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,22,1795353988680,49857272,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353988668,CAST('ok'||char(10)||'' AS BLOB));
