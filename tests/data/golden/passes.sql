-- Three tasks that need each other, and one beside them.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'f58b1f0b530e6cd363673a9ecb3aac0f','plan','plan','/tmp/devs-golden/passes','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-7079194726779311177,2,4,30991,4985708,1795353988653,1795353988680,0,22,1795353988680,5,4,0,0,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "lexer", "steps": [{"run": ["sh", "-c", "echo ok"]}]}, {"id": "parser", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["lexer"]}, {"id": "docs", "steps": [{"run": ["sh", "-c", "true"]}, {"run": ["sh", "-c", "true"]}]}, {"id": "all", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["parser", "docs"]}], "jobs": 2}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795353988656,49857248,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":2,"by":"root"}'),
(1,2,1795353988656,49857248,'attempt_started','lexer',0,0,1,1,1,'{"call":"47486c92958b680b3947d2ec5830c4d1"}'),
(1,3,1795353988656,49857248,'attempt_started','docs',2,0,1,1,1,'{"call":"5dbb0ad386ba47624ff994accadaaf1f"}'),
(1,4,1795353988658,49857250,'attempt_running','lexer',0,0,1,1,1,'{"pid":31005,"pid_start":4985724}'),
(1,5,1795353988664,49857256,'attempt_running','docs',2,0,1,1,1,'{"pid":31006,"pid_start":4985725}'),
(1,6,1795353988668,49857260,'attempt_ended','lexer',0,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":12,"out_bytes":3,"err_bytes":0,"out_lines":1,"cpu_ms":1,"fingerprint":"d32d9da97eb9a6aa5c8e11126a411948","new_permille":1000}'),
(1,7,1795353988668,49857260,'step_ended','lexer',0,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,8,1795353988668,49857260,'attempt_started','parser',1,0,1,1,1,'{"call":"5dbb0ad386ba47624ff994accadaaf1f"}'),
(1,9,1795353988668,49857260,'attempt_ended','docs',2,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":10,"out_bytes":0,"err_bytes":0,"cpu_ms":1,"fingerprint":"d4817aa5497628e7c77e6b606107042b","loop":{"raw":4118330637121115162,"bits":8,"gain":"silent"}}'),
(1,10,1795353988668,49857260,'step_ended','docs',2,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,11,1795353988668,49857260,'attempt_started','docs',2,1,1,1,1,'{"call":"5dbb0ad386ba47624ff994accadaaf1f"}'),
(1,12,1795353988676,49857269,'attempt_running','parser',1,0,1,1,1,'{"pid":31007,"pid_start":4985726}'),
(1,13,1795353988677,49857269,'attempt_running','docs',2,1,1,1,1,'{"pid":31008,"pid_start":4985726}'),
(1,14,1795353988677,49857269,'attempt_ended','parser',1,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":9,"out_bytes":0,"err_bytes":0,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,15,1795353988677,49857269,'step_ended','parser',1,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,16,1795353988677,49857270,'attempt_ended','docs',2,1,1,1,1,'{"outcome":"exit","code":0,"ran_ms":1,"out_bytes":0,"err_bytes":0,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,17,1795353988677,49857270,'step_ended','docs',2,1,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,18,1795353988677,49857270,'attempt_started','all',3,0,1,1,1,'{"call":"5dbb0ad386ba47624ff994accadaaf1f"}'),
(1,19,1795353988679,49857272,'attempt_running','all',3,0,1,1,1,'{"pid":31009,"pid_start":4985727}'),
(1,20,1795353988680,49857272,'attempt_ended','all',3,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":2,"out_bytes":0,"err_bytes":0,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,21,1795353988680,49857272,'step_ended','all',3,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,22,1795353988680,49857272,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":0}');
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353988668,CAST('ok'||char(10)||'' AS BLOB));
