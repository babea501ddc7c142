-- What never starts: no program, no folder; and what is ended when its time is up.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'db1f2ecfaec08a60098f8d5d90d7f362','plan','plan','/tmp/devs-golden/starts','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-4201940920198375772,2,4,32037,4986562,1795353997120,1795354001678,1,40,1795354001678,5,0,4,0,1903,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "none", "steps": [{"run": ["./no-such-program"]}]}, {"id": "dir", "steps": [{"run": ["sh", "-c", "true"], "cwd": "no-such-folder"}]}, {"id": "long", "steps": [{"run": ["sh", "-c", "sleep 600"], "timeout_s": 1}]}, {"id": "late", "steps": [{"run": ["sh", "-c", "echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1"], "policy": "late"}]}], "jobs": 2, "policies": {"late": {"like": "transport", "base_delay_ms": 400, "deadline_ms": 500, "jitter": 0}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795353997121,49865713,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":2,"by":"root"}'),
(1,2,1795353997121,49865713,'attempt_started','none',0,0,1,1,1,'{"call":"f638fa50679e546f63eadf5f89e73f2a"}'),
(1,3,1795353997121,49865713,'attempt_started','dir',1,0,1,1,1,'{"call":"10859ed1cf077b7c8cd540ee72c2d238"}'),
(1,4,1795353997122,49865714,'note',NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"none/1: ''./no-such-program'': No such file or directory"}'),
(1,5,1795353997122,49865714,'attempt_ended','none',0,0,1,1,1,'{"outcome":"not started","code":2,"ran_ms":0,"out_bytes":0,"err_bytes":0,"fingerprint":"f5f4e5342bec3fd1c75616421fc928c6","start_error":"''./no-such-program'': No such file or directory"}'),
(1,6,1795353997122,49865714,'attempt_judged','none',0,0,1,1,1,'{"class":"persistent","reason":"not-found","rule":"known.start","subtype":"ENOENT","match":"''./no-such-program'': No such file or directory"}'),
(1,7,1795353997122,49865714,'step_ended','none',0,0,1,1,1,'{"decision":"failed","attempts":0,"entropy":true,"capture":true,"policy":"infrastructure","phase":"GREEN","used":1,"allowed":4}'),
(1,8,1795353997122,49865714,'attempt_started','long',2,0,1,1,1,'{"call":"490c6d77517332ea790856771cd8e4fa"}'),
(1,9,1795353997122,49865714,'note',NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"dir/1: ''/tmp/devs-golden/starts/no-such-folder'': No such file or directory"}'),
(1,10,1795353997122,49865714,'attempt_ended','dir',1,0,1,1,1,'{"outcome":"not started","code":2,"ran_ms":0,"out_bytes":0,"err_bytes":0,"fingerprint":"f5f4e5342bec3fd1c75616421fc928c6","start_error":"''/tmp/devs-golden/starts/no-such-folder'': No such file or directory"}'),
(1,11,1795353997122,49865714,'attempt_judged','dir',1,0,1,1,1,'{"class":"persistent","reason":"not-found","rule":"known.start","subtype":"ENOENT","match":"''/tmp/devs-golden/starts/no-such-folder'': No such file or directory"}'),
(1,12,1795353997122,49865714,'step_ended','dir',1,0,1,1,1,'{"decision":"failed","attempts":0,"entropy":true,"capture":true,"policy":"infrastructure","phase":"GREEN","used":1,"allowed":4}'),
(1,13,1795353997122,49865714,'attempt_started','late',3,0,1,1,1,'{"call":"ded0dfdeee82afadf8d0222470d24e4a"}'),
(1,14,1795353997136,49865728,'attempt_running','long',2,0,1,1,1,'{"pid":32049,"pid_start":4986572}'),
(1,15,1795353997136,49865728,'attempt_running','late',3,0,1,1,1,'{"pid":32051,"pid_start":4986572}'),
(1,16,1795353997137,49865729,'attempt_ended','late',3,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":0,"err_bytes":34,"err_lines":1,"fingerprint":"454ff92bae62114c58d26729c430ebad","new_permille":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'),
(1,17,1795353997137,49865729,'attempt_judged','late',3,0,1,1,1,'{"class":"transient","type":"NETWORK_TIMEOUT","rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'),
(1,18,1795353997137,49865729,'wait_started','late',3,0,1,1,1,'{"delay_ms":400,"due_at_ms":1795353997537,"due_mono_ms":49866129,"exact_ms":400,"retry_number":1,"policy":"late","base_ms":400,"multiplier":2,"cap_ms":60000,"jitter":0,"used":1,"allowed":4,"deadline_ms":500,"since_start_ms":15}'),
(1,19,1795353997538,49866130,'wait_ended','late',3,0,1,1,1,'{}'),
(1,20,1795353997538,49866130,'attempt_started','late',3,0,1,1,2,'{"call":"ded0dfdeee82afadf8d0222470d24e4a"}'),
(1,21,1795353997539,49866131,'attempt_running','late',3,0,1,1,2,'{"pid":32108,"pid_start":4986613}'),
(1,22,1795353997539,49866131,'attempt_ended','late',3,0,1,1,2,'{"outcome":"exit","code":1,"ran_ms":1,"out_bytes":0,"err_bytes":34,"err_lines":1,"fingerprint":"454ff92bae62114c58d26729c430ebad","new_permille":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'),
(1,23,1795353997539,49866131,'attempt_judged','late',3,0,1,1,2,'{"class":"transient","type":"NETWORK_TIMEOUT","rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'),
(1,24,1795353997539,49866131,'step_ended','late',3,0,1,1,2,'{"decision":"deadline","attempts":2,"entropy":true,"capture":true,"policy":"late","phase":"GREEN","used":2,"allowed":4,"deadline_ms":500,"since_start_ms":417}'),
(1,25,1795353998142,49866734,'attempt_ended','long',2,0,1,1,1,'{"outcome":"timeout","code":143,"ran_ms":1012,"out_bytes":0,"err_bytes":0,"cpu_ms":2,"fingerprint":"8fa00d96ce23825aff067b1d3a15f79f","loop":{"raw":4118330637121115162,"bits":5}}'),
(1,26,1795353998142,49866734,'attempt_judged','long',2,0,1,1,1,'{"class":"transient","type":"RESOURCE_BUSY","rule":"known.timeout","subtype":"TIMEOUT"}'),
(1,27,1795353998142,49866734,'wait_started','long',2,0,1,1,1,'{"delay_ms":500,"due_at_ms":1795353998642,"due_mono_ms":49867234,"exact_ms":500,"retry_number":1,"policy":"default","base_ms":500,"multiplier":2,"cap_ms":30000,"jitter":0,"used":1,"allowed":3}'),
(1,28,1795353998642,49867235,'wait_ended','long',2,0,1,1,1,'{}'),
(1,29,1795353998642,49867235,'attempt_started','long',2,0,1,1,2,'{"call":"490c6d77517332ea790856771cd8e4fa"}'),
(1,30,1795353998652,49867244,'attempt_running','long',2,0,1,1,2,'{"pid":32266,"pid_start":4986724}'),
(1,31,1795353999656,49868248,'attempt_ended','long',2,0,1,1,2,'{"outcome":"timeout","code":143,"ran_ms":1007,"out_bytes":0,"err_bytes":0,"cpu_ms":1,"fingerprint":"8fa00d96ce23825aff067b1d3a15f79f","loop":{"raw":4118330637121115162,"bits":5}}'),
(1,32,1795353999656,49868248,'attempt_judged','long',2,0,1,1,2,'{"class":"transient","type":"RESOURCE_BUSY","rule":"known.timeout","subtype":"TIMEOUT"}'),
(1,33,1795353999656,49868248,'wait_started','long',2,0,1,1,2,'{"delay_ms":1000,"due_at_ms":1795354000656,"due_mono_ms":49869248,"exact_ms":1000,"retry_number":2,"policy":"default","base_ms":500,"multiplier":2,"cap_ms":30000,"jitter":0,"used":2,"allowed":3}'),
(1,34,1795354000657,49869249,'wait_ended','long',2,0,1,1,2,'{}'),
(1,35,1795354000657,49869249,'attempt_started','long',2,0,1,1,3,'{"call":"490c6d77517332ea790856771cd8e4fa"}'),
(1,36,1795354000673,49869265,'attempt_running','long',2,0,1,1,3,'{"pid":309,"pid_start":4986925}'),
(1,37,1795354001678,49870270,'attempt_ended','long',2,0,1,1,3,'{"outcome":"timeout","code":143,"ran_ms":1013,"out_bytes":0,"err_bytes":0,"cpu_ms":2,"fingerprint":"8fa00d96ce23825aff067b1d3a15f79f","loop":{"raw":4118330637121115162,"bits":5}}'),
(1,38,1795354001678,49870270,'attempt_judged','long',2,0,1,1,3,'{"class":"transient","type":"RESOURCE_BUSY","rule":"known.timeout","subtype":"TIMEOUT"}'),
(1,39,1795354001678,49870270,'step_ended','long',2,0,1,1,3,'{"decision":"transient exhausted","attempts":3,"entropy":true,"capture":true,"policy":"default","phase":"GREEN","used":3,"allowed":3}'),
(1,40,1795354001678,49870270,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":1}');
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,3,0,1,2,0,0,0,1795353997137,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(2,1,3,0,2,2,0,0,0,1795353997539,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB));
