-- The same result over and over: stopped, sent on by a person, stopped again.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'15dec1cc0fd22a87c58257d8eb1a400f','plan','plan','/tmp/devs-golden/circles','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',4325981959268577340,2,2,31416,4986141,1795353993004,1795353993192,3,42,1795353993192,7,1,1,0,63,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "loop", "steps": [{"run": ["sh", "-c", "echo same; exit 1"], "policy": "seeker"}]}, {"id": "open", "steps": [{"run": ["sh", "-c", "while [ ! -e done ]; do sleep 0.05; done"]}]}], "jobs": 2, "policies": {"seeker": {"like": "research", "base_delay_ms": 10, "max_attempts": 9}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795353993005,49861597,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":2,"by":"root"}'),
(1,2,1795353993005,49861597,'attempt_started','loop',0,0,1,1,1,'{"call":"4c5d5b7e9492d98d43be4f1b1fb87ab6"}'),
(1,3,1795353993005,49861597,'attempt_started','open',1,0,1,1,1,'{"call":"77cc1ded4aefee0d5180c7d8f1d3fdeb"}'),
(1,4,1795353993009,49861601,'attempt_running','loop',0,0,1,1,1,'{"pid":31429,"pid_start":4986160}'),
(1,5,1795353993016,49861608,'attempt_running','open',1,0,1,1,1,'{"pid":31430,"pid_start":4986160}'),
(1,6,1795353993016,49861608,'attempt_ended','loop',0,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":8,"out_bytes":5,"err_bytes":0,"out_lines":1,"fingerprint":"4bc6df7e3589159db15cd97c264fda84","new_permille":1000,"loop":{"raw":1902839979288623920,"bits":1,"gain":"line","lines":1}}'),
(1,7,1795353993016,49861608,'attempt_judged','loop',0,0,1,1,1,'{"class":"persistent","rule":"default"}'),
(1,8,1795353993016,49861608,'wait_started','loop',0,0,1,1,1,'{"delay_ms":10,"due_at_ms":1795353993026,"due_mono_ms":49861618,"exact_ms":10,"retry_number":1,"policy":"seeker","base_ms":10,"multiplier":2,"cap_ms":60000,"jitter":0,"used":1,"allowed":9,"same":1,"window":3}'),
(1,9,1795353993028,49861620,'wait_ended','loop',0,0,1,1,1,'{}'),
(1,10,1795353993028,49861620,'attempt_started','loop',0,0,1,1,2,'{"call":"4c5d5b7e9492d98d43be4f1b1fb87ab6"}'),
(1,11,1795353993038,49861630,'attempt_running','loop',0,0,1,1,2,'{"pid":31435,"pid_start":4986162}'),
(1,12,1795353993038,49861630,'attempt_ended','loop',0,0,1,1,2,'{"outcome":"exit","code":1,"ran_ms":9,"out_bytes":5,"err_bytes":0,"out_lines":1,"fingerprint":"4bc6df7e3589159db15cd97c264fda84","new_permille":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'),
(1,13,1795353993038,49861630,'attempt_judged','loop',0,0,1,1,2,'{"class":"persistent","rule":"default"}'),
(1,14,1795353993038,49861630,'wait_started','loop',0,0,1,1,2,'{"delay_ms":20,"due_at_ms":1795353993058,"due_mono_ms":49861650,"exact_ms":20,"retry_number":2,"policy":"seeker","base_ms":10,"multiplier":2,"cap_ms":60000,"jitter":0,"used":2,"allowed":9,"same":2,"window":3}'),
(1,15,1795353993058,49861650,'wait_ended','loop',0,0,1,1,2,'{}'),
(1,16,1795353993058,49861650,'attempt_started','loop',0,0,1,1,3,'{"call":"4c5d5b7e9492d98d43be4f1b1fb87ab6"}'),
(1,17,1795353993069,49861661,'attempt_running','loop',0,0,1,1,3,'{"pid":31439,"pid_start":4986165}'),
(1,18,1795353993069,49861661,'attempt_ended','loop',0,0,1,1,3,'{"outcome":"exit","code":1,"ran_ms":11,"out_bytes":5,"err_bytes":0,"out_lines":1,"fingerprint":"4bc6df7e3589159db15cd97c264fda84","new_permille":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'),
(1,19,1795353993069,49861661,'attempt_judged','loop',0,0,1,1,3,'{"class":"persistent","rule":"default"}'),
(1,20,1795353993069,49861661,'step_ended','loop',0,0,1,1,3,'{"decision":"entropy detected","attempts":3,"entropy":true,"capture":true,"policy":"seeker","phase":"GREEN","used":3,"allowed":9,"same":3,"window":3}'),
(1,21,1795353993137,49861729,'step_reopened','loop',0,0,1,2,3,'{"new_grant":2,"allowed":9,"scale":2,"by":"root"}'),
(1,22,1795353993137,49861729,'control_answered','loop',0,0,1,2,3,'{"control":1,"done":true,"verb":"retry","answer":"continues; stops again after 3 more equal results","by":"root"}'),
(1,23,1795353993137,49861729,'attempt_started','loop',0,0,1,2,4,'{"call":"4c5d5b7e9492d98d43be4f1b1fb87ab6"}'),
(1,24,1795353993138,49861730,'attempt_running','loop',0,0,1,2,4,'{"pid":31451,"pid_start":4986173}'),
(1,25,1795353993139,49861731,'attempt_ended','loop',0,0,1,2,4,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":5,"err_bytes":0,"out_lines":1,"fingerprint":"4bc6df7e3589159db15cd97c264fda84","new_permille":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'),
(1,26,1795353993139,49861731,'attempt_judged','loop',0,0,1,2,4,'{"class":"persistent","rule":"default"}'),
(1,27,1795353993139,49861731,'wait_started','loop',0,0,1,2,4,'{"delay_ms":10,"due_at_ms":1795353993149,"due_mono_ms":49861741,"exact_ms":10,"retry_number":1,"policy":"seeker","base_ms":10,"multiplier":2,"cap_ms":60000,"jitter":0,"used":1,"allowed":9,"same":4,"window":6}'),
(1,28,1795353993149,49861741,'wait_ended','loop',0,0,1,2,4,'{}'),
(1,29,1795353993149,49861741,'attempt_started','loop',0,0,1,2,5,'{"call":"4c5d5b7e9492d98d43be4f1b1fb87ab6"}'),
(1,30,1795353993150,49861742,'attempt_running','loop',0,0,1,2,5,'{"pid":31453,"pid_start":4986174}'),
(1,31,1795353993150,49861742,'attempt_ended','loop',0,0,1,2,5,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":5,"err_bytes":0,"out_lines":1,"fingerprint":"4bc6df7e3589159db15cd97c264fda84","new_permille":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'),
(1,32,1795353993150,49861742,'attempt_judged','loop',0,0,1,2,5,'{"class":"persistent","rule":"default"}'),
(1,33,1795353993150,49861742,'wait_started','loop',0,0,1,2,5,'{"delay_ms":20,"due_at_ms":1795353993170,"due_mono_ms":49861762,"exact_ms":20,"retry_number":2,"policy":"seeker","base_ms":10,"multiplier":2,"cap_ms":60000,"jitter":0,"used":2,"allowed":9,"same":5,"window":6}'),
(1,34,1795353993171,49861763,'wait_ended','loop',0,0,1,2,5,'{}'),
(1,35,1795353993171,49861763,'attempt_started','loop',0,0,1,2,6,'{"call":"4c5d5b7e9492d98d43be4f1b1fb87ab6"}'),
(1,36,1795353993171,49861763,'attempt_running','loop',0,0,1,2,6,'{"pid":31455,"pid_start":4986176}'),
(1,37,1795353993172,49861764,'attempt_ended','loop',0,0,1,2,6,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":5,"err_bytes":0,"out_lines":1,"fingerprint":"4bc6df7e3589159db15cd97c264fda84","new_permille":0,"loop":{"raw":1902839979288623920,"bits":1,"lines":1}}'),
(1,38,1795353993172,49861764,'attempt_judged','loop',0,0,1,2,6,'{"class":"persistent","rule":"default"}'),
(1,39,1795353993172,49861764,'step_ended','loop',0,0,1,2,6,'{"decision":"entropy detected","attempts":3,"entropy":true,"capture":true,"policy":"seeker","phase":"GREEN","used":3,"allowed":9,"same":6,"window":6}'),
(1,40,1795353993192,49861784,'attempt_ended','open',1,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":183,"out_bytes":0,"err_bytes":0,"cpu_ms":4,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,41,1795353993192,49861784,'step_ended','open',1,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,42,1795353993192,49861784,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":3}');
INSERT INTO control(id, run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms, answer, done) VALUES
(1,1,2,0,NULL,NULL,NULL,'root',1795353993136,1795353993137,1795353993137,'continues; stops again after 3 more equal results',1);
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353993016,CAST('same'||char(10)||'' AS BLOB)),
(2,1,0,0,2,1,0,0,0,1795353993038,CAST('same'||char(10)||'' AS BLOB)),
(3,1,0,0,3,1,0,0,0,1795353993069,CAST('same'||char(10)||'' AS BLOB)),
(4,1,0,0,4,1,0,0,0,1795353993139,CAST('same'||char(10)||'' AS BLOB)),
(5,1,0,0,5,1,0,0,0,1795353993150,CAST('same'||char(10)||'' AS BLOB)),
(6,1,0,0,6,1,0,0,0,1795353993172,CAST('same'||char(10)||'' AS BLOB));
