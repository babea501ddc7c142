-- devs is killed twice: what ran is interrupted, an act is answered without it, and it goes on.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'b6efb4d7032b4bb3f043fa1a5cc6b9f1','plan','plan','/tmp/devs-golden/crashes','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-8398563612949775143,3,4,31667,4986328,1795353994053,1795353996745,1,45,1795353996745,7,3,1,0,2670,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "first", "steps": [{"run": ["sh", "-c", "true"]}]}, {"id": "sleeps", "steps": [{"run": ["sh", "-c", "n=$(cat c 2>/dev/null || echo 0); n=$((n+1)); echo $n >c; [ $n -ge 3 ] || { sleep 600; }"]}]}, {"id": "later", "steps": [{"run": ["sh", "-c", "true"]}], "needs": ["sleeps"]}, {"id": "waits", "steps": [{"run": ["sh", "-c", "echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1"], "policy": "slow"}]}], "jobs": 3, "policies": {"slow": {"like": "transport", "max_attempts": 2, "base_delay_ms": 2000}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795353994053,49862645,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":3,"by":"root"}'),
(1,2,1795353994053,49862645,'attempt_started','first',0,0,1,1,1,'{"call":"9f9627f53d06756b99a7b181f4fe0a50"}'),
(1,3,1795353994053,49862645,'attempt_started','sleeps',1,0,1,1,1,'{"call":"31b2ecbb2f0b990c9d5ab842d838c32c"}'),
(1,4,1795353994053,49862645,'attempt_started','waits',3,0,1,1,1,'{"call":"14606a474cef9bdc2f2fba95e0e05bce"}'),
(1,5,1795353994058,49862650,'attempt_running','first',0,0,1,1,1,'{"pid":31571,"pid_start":4986264}'),
(1,6,1795353994060,49862652,'attempt_running','sleeps',1,0,1,1,1,'{"pid":31572,"pid_start":4986265}'),
(1,7,1795353994061,49862653,'attempt_running','waits',3,0,1,1,1,'{"pid":31574,"pid_start":4986265}'),
(1,8,1795353994061,49862653,'attempt_ended','first',0,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":7,"out_bytes":0,"err_bytes":0,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,9,1795353994061,49862653,'step_ended','first',0,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,10,1795353994066,49862658,'attempt_ended','waits',3,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":6,"out_bytes":0,"err_bytes":34,"err_lines":1,"fingerprint":"454ff92bae62114c58d26729c430ebad","new_permille":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'),
(1,11,1795353994066,49862658,'attempt_judged','waits',3,0,1,1,1,'{"class":"transient","type":"NETWORK_TIMEOUT","rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'),
(1,12,1795353994066,49862658,'wait_started','waits',3,0,1,1,1,'{"delay_ms":2665,"due_at_ms":1795353996731,"due_mono_ms":49865323,"exact_ms":2000,"retry_number":1,"factor":1.3326352395146119,"policy":"slow","base_ms":2000,"multiplier":2,"cap_ms":60000,"jitter":0.5,"used":1,"allowed":2}'),
(1,13,1795353994213,49862805,'task_held','later',2,0,1,1,NULL,'{"by":"root"}'),
(1,14,1795353994213,49862805,'control_answered','later',2,0,1,1,NULL,'{"control":1,"done":true,"verb":"hold","answer":"held: no new tries until it is released","by":"root"}'),
(1,15,1795353994589,49863181,'run_recovered',NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'),
(1,16,1795353994589,49863181,'attempt_ended','sleeps',1,0,1,1,1,'{"outcome":"interrupted","code":0,"ran_ms":0,"out_bytes":0,"err_bytes":0}'),
(1,17,1795353994589,49863181,'attempt_judged','sleeps',1,0,1,1,1,'{"class":"transient","type":"RESOURCE_BUSY","rule":"known.interrupted","subtype":"INTERRUPTED"}'),
(1,18,1795353994589,49863181,'wait_started','sleeps',1,0,1,1,1,'{"delay_ms":0,"due_at_ms":1795353994589,"due_mono_ms":49863181,"retry_number":1,"policy":"default","base_ms":500,"multiplier":2,"cap_ms":30000,"jitter":0,"used":1,"allowed":3,"interrupted":1}'),
(1,19,1795353994589,49863181,'wait_ended','sleeps',1,0,1,1,1,'{}'),
(1,20,1795353994589,49863181,'attempt_started','sleeps',1,0,1,1,2,'{"call":"31b2ecbb2f0b990c9d5ab842d838c32c"}'),
(1,21,1795353994589,49863181,'note',NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"killed what was left of the run: sh (pid 31572), sleep (pid 31579)"}'),
(1,22,1795353994591,49863183,'attempt_running','sleeps',1,0,1,1,2,'{"pid":31644,"pid_start":4986318}'),
(1,23,1795353994675,49863267,'task_released','later',2,0,1,1,NULL,'{"by":"root"}'),
(1,24,1795353994675,49863267,'control_answered','later',2,0,1,1,NULL,'{"control":2,"done":true,"verb":"release","answer":"released","by":"root"}'),
(1,25,1795353994903,49863495,'run_recovered',NULL,NULL,NULL,NULL,NULL,NULL,'{"by":"root"}'),
(1,26,1795353994903,49863495,'attempt_ended','sleeps',1,0,1,1,2,'{"outcome":"interrupted","code":0,"ran_ms":0,"out_bytes":0,"err_bytes":0}'),
(1,27,1795353994903,49863495,'attempt_judged','sleeps',1,0,1,1,2,'{"class":"transient","type":"RESOURCE_BUSY","rule":"known.interrupted","subtype":"INTERRUPTED"}'),
(1,28,1795353994903,49863495,'wait_started','sleeps',1,0,1,1,2,'{"delay_ms":0,"due_at_ms":1795353994903,"due_mono_ms":49863495,"retry_number":1,"policy":"default","base_ms":500,"multiplier":2,"cap_ms":30000,"jitter":0,"used":1,"allowed":3,"interrupted":2}'),
(1,29,1795353994903,49863495,'wait_ended','sleeps',1,0,1,1,2,'{}'),
(1,30,1795353994903,49863495,'attempt_started','sleeps',1,0,1,1,3,'{"call":"31b2ecbb2f0b990c9d5ab842d838c32c"}'),
(1,31,1795353994903,49863495,'note',NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"killed what was left of the run: sh (pid 31644), sleep (pid 31648)"}'),
(1,32,1795353994913,49863505,'attempt_running','sleeps',1,0,1,1,3,'{"pid":31715,"pid_start":4986349}'),
(1,33,1795353994923,49863515,'attempt_ended','sleeps',1,0,1,1,3,'{"outcome":"exit","code":0,"ran_ms":17,"out_bytes":0,"err_bytes":0,"cpu_ms":2,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,34,1795353994923,49863515,'step_ended','sleeps',1,0,1,1,3,'{"decision":"succeeded","attempts":1}'),
(1,35,1795353994923,49863515,'attempt_started','later',2,0,1,1,1,'{"call":"9f9627f53d06756b99a7b181f4fe0a50"}'),
(1,36,1795353994925,49863517,'attempt_running','later',2,0,1,1,1,'{"pid":31719,"pid_start":4986351}'),
(1,37,1795353994925,49863517,'attempt_ended','later',2,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":1,"out_bytes":0,"err_bytes":0,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,38,1795353994925,49863517,'step_ended','later',2,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,39,1795353996735,49865328,'wait_ended','waits',3,0,1,1,1,'{}'),
(1,40,1795353996735,49865328,'attempt_started','waits',3,0,1,1,2,'{"call":"14606a474cef9bdc2f2fba95e0e05bce"}'),
(1,41,1795353996744,49865336,'attempt_running','waits',3,0,1,1,2,'{"pid":31997,"pid_start":4986533}'),
(1,42,1795353996745,49865337,'attempt_ended','waits',3,0,1,1,2,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":0,"err_bytes":34,"err_lines":1,"fingerprint":"454ff92bae62114c58d26729c430ebad","new_permille":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'),
(1,43,1795353996745,49865337,'attempt_judged','waits',3,0,1,1,2,'{"class":"transient","type":"NETWORK_TIMEOUT","rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'),
(1,44,1795353996745,49865337,'step_ended','waits',3,0,1,1,2,'{"decision":"transient exhausted","attempts":2,"entropy":true,"capture":true,"policy":"slow","phase":"GREEN","used":2,"allowed":2}'),
(1,45,1795353996745,49865337,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":1}');
INSERT INTO control(id, run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms, answer, done) VALUES
(1,1,3,2,NULL,NULL,NULL,'root',1795353994200,1795353994201,1795353994213,'held: no new tries until it is released',1),
(2,1,4,2,NULL,NULL,NULL,'root',1795353994670,1795353994671,1795353994675,'released',1);
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,3,0,1,2,0,0,0,1795353994066,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(2,1,3,0,2,2,0,0,0,1795353996745,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB));
