-- What never starts: no program, no folder; and what is ended when its time is up.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'db1f2ecfaec08a60098f8d5d90d7f362','plan','plan','/tmp/devs-golden/starts','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-4201940920198375772,2,4,32037,4986562,1795353997120,1795354001678,1,40,1795354001678,5,0,4,0,1903,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "none", "steps": [{"run": ["./no-such-program"]}]}, {"id": "dir", "steps": [{"run": ["sh", "-c", "true"], "cwd": "no-such-folder"}]}, {"id": "long", "steps": [{"run": ["sh", "-c", "sleep 600"], "timeout_s": 1}]}, {"id": "late", "steps": [{"run": ["sh", "-c", "echo ''connect ECONNREFUSED 10.0.0.1:443'' >&2; exit 1"], "policy": "late"}]}], "jobs": 2, "policies": {"late": {"like": "transport", "base_delay_ms": 400, "deadline_ms": 500, "jitter": 0}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353997121,49865713,1,NULL,NULL,NULL,NULL,NULL,2,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353997121,49865713,3,0,0,1,1,1,-704538118440725393,7199812555733679914,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353997121,49865713,3,1,0,1,1,1,1190532300468091772,-8298655345488506312,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795353997122,49865714,18,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"none/1: ''./no-such-program'': No such file or directory"}'), -- note
(1,5,1795353997122,49865714,5,0,0,1,1,1,2,2,NULL,NULL,NULL,'{"fp":"f5f4e5342bec3fd1c75616421fc928c6","start":"''./no-such-program'': No such file or directory"}'), -- attempt_ended
(1,6,1795353997122,49865714,6,0,0,1,1,1,2,NULL,4,NULL,NULL,'{"rule":"known.start","subtype":"ENOENT","match":"''./no-such-program'': No such file or directory"}'), -- attempt_judged
(1,7,1795353997122,49865714,9,0,0,1,1,1,2,NULL,1,1,NULL,'{"policy":"infrastructure","phase":"GREEN","used":1,"allowed":4}'), -- step_ended
(1,8,1795353997122,49865714,3,2,0,1,1,1,5263702423724307178,8721315747988038906,NULL,NULL,NULL,NULL), -- attempt_started
(1,9,1795353997122,49865714,18,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"note":"dir/1: ''/tmp/devs-golden/starts/no-such-folder'': No such file or directory"}'), -- note
(1,10,1795353997122,49865714,5,1,0,1,1,1,2,2,NULL,NULL,NULL,'{"fp":"f5f4e5342bec3fd1c75616421fc928c6","start":"''/tmp/devs-golden/starts/no-such-folder'': No such file or directory"}'), -- attempt_ended
(1,11,1795353997122,49865714,6,1,0,1,1,1,2,NULL,4,NULL,NULL,'{"rule":"known.start","subtype":"ENOENT","match":"''/tmp/devs-golden/starts/no-such-folder'': No such file or directory"}'), -- attempt_judged
(1,12,1795353997122,49865714,9,1,0,1,1,1,2,NULL,1,1,NULL,'{"policy":"infrastructure","phase":"GREEN","used":1,"allowed":4}'), -- step_ended
(1,13,1795353997122,49865714,3,3,0,1,1,1,-2391165253556457555,-517876417240609206,NULL,NULL,NULL,NULL), -- attempt_started
(1,14,1795353997136,49865728,4,2,0,1,1,1,32049,4986572,NULL,NULL,NULL,NULL), -- attempt_running
(1,15,1795353997136,49865728,4,3,0,1,1,1,32051,4986572,NULL,NULL,NULL,NULL), -- attempt_running
(1,16,1795353997137,49865729,5,3,0,1,1,1,NULL,1,1,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":1000,"loop":{"raw":-5974955527567279853,"bits":5,"gain":"line","lines":1}}'), -- attempt_ended
(1,17,1795353997137,49865729,6,3,0,1,1,1,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,18,1795353997137,49865729,7,3,0,1,1,1,400,1795353997537,49866129,400,NULL,'{"policy":"late","n":1,"base":400,"multiplier":2,"cap":60000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":4,"deadline":500,"since_start":15}'), -- wait_started
(1,19,1795353997538,49866130,8,3,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,20,1795353997538,49866130,3,3,0,1,1,2,-2391165253556457555,-517876417240609206,NULL,NULL,NULL,NULL), -- attempt_started
(1,21,1795353997539,49866131,4,3,0,1,1,2,32108,4986613,NULL,NULL,NULL,NULL), -- attempt_running
(1,22,1795353997539,49866131,5,3,0,1,1,2,NULL,1,1,NULL,34,'{"err_lines":1,"fp":"454ff92bae62114c58d26729c430ebad","new":0,"loop":{"raw":-5974955527567279853,"bits":5,"lines":1}}'), -- attempt_ended
(1,23,1795353997539,49866131,6,3,0,1,1,2,1,1,NULL,NULL,NULL,'{"rule":"net.errno","subtype":"ECONNREFUSED","stream":"stderr","offset":0,"line":1,"match":"connect ECONNREFUSED 10.0.0.1:443"}'), -- attempt_judged
(1,24,1795353997539,49866131,9,3,0,1,1,2,8,2,1,1,NULL,'{"policy":"late","phase":"GREEN","used":2,"allowed":4,"deadline":500,"since_start":417}'), -- step_ended
(1,25,1795353998142,49866734,5,2,0,1,1,1,3,143,1012,NULL,NULL,'{"cpu":2,"fp":"8fa00d96ce23825aff067b1d3a15f79f","loop":{"raw":4118330637121115162,"bits":5}}'), -- attempt_ended
(1,26,1795353998142,49866734,6,2,0,1,1,1,1,7,NULL,NULL,NULL,'{"rule":"known.timeout","subtype":"TIMEOUT"}'), -- attempt_judged
(1,27,1795353998142,49866734,7,2,0,1,1,1,500,1795353998642,49867234,500,NULL,'{"policy":"default","n":1,"base":500,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":3}'), -- wait_started
(1,28,1795353998642,49867235,8,2,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,29,1795353998642,49867235,3,2,0,1,1,2,5263702423724307178,8721315747988038906,NULL,NULL,NULL,NULL), -- attempt_started
(1,30,1795353998652,49867244,4,2,0,1,1,2,32266,4986724,NULL,NULL,NULL,NULL), -- attempt_running
(1,31,1795353999656,49868248,5,2,0,1,1,2,3,143,1007,NULL,NULL,'{"cpu":1,"fp":"8fa00d96ce23825aff067b1d3a15f79f","loop":{"raw":4118330637121115162,"bits":5}}'), -- attempt_ended
(1,32,1795353999656,49868248,6,2,0,1,1,2,1,7,NULL,NULL,NULL,'{"rule":"known.timeout","subtype":"TIMEOUT"}'), -- attempt_judged
(1,33,1795353999656,49868248,7,2,0,1,1,2,1000,1795354000656,49869248,1000,NULL,'{"policy":"default","n":2,"base":500,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":2,"allowed":3}'), -- wait_started
(1,34,1795354000657,49869249,8,2,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,35,1795354000657,49869249,3,2,0,1,1,3,5263702423724307178,8721315747988038906,NULL,NULL,NULL,NULL), -- attempt_started
(1,36,1795354000673,49869265,4,2,0,1,1,3,309,4986925,NULL,NULL,NULL,NULL), -- attempt_running
(1,37,1795354001678,49870270,5,2,0,1,1,3,3,143,1013,NULL,NULL,'{"cpu":2,"fp":"8fa00d96ce23825aff067b1d3a15f79f","loop":{"raw":4118330637121115162,"bits":5}}'), -- attempt_ended
(1,38,1795354001678,49870270,6,2,0,1,1,3,1,7,NULL,NULL,NULL,'{"rule":"known.timeout","subtype":"TIMEOUT"}'), -- attempt_judged
(1,39,1795354001678,49870270,9,2,0,1,1,3,4,3,1,1,NULL,'{"policy":"default","phase":"GREEN","used":3,"allowed":3}'), -- step_ended
(1,40,1795354001678,49870270,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,3,0,1,2,0,0,0,1795353997137,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB)),
(2,1,3,0,2,2,0,0,0,1795353997539,CAST('connect ECONNREFUSED 10.0.0.1:443'||char(10)||'' AS BLOB));
