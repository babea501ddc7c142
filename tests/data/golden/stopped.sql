-- ^C: the whole run is cancelled by the devs that runs it.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'ca3ff9b902a6fc79e387842abbc20aaf','plan','plan','/tmp/devs-golden/stopped','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-3618549654404130747,1,2,32000,4986540,1795353996909,1795353996961,130,9,1795353996961,1,0,0,2,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "sleeps", "steps": [{"run": ["sh", "-c", "sleep 600"]}]}, {"id": "queued", "steps": [{"run": ["sh", "-c", "true"]}]}], "jobs": 1}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795353996910,49865502,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":1,"by":"root"}'),
(1,2,1795353996910,49865502,'attempt_started','sleeps',0,0,1,1,1,'{"call":"d0fbb07a0317891e6430e2f86ccd12ef"}'),
(1,3,1795353996911,49865503,'attempt_running','sleeps',0,0,1,1,1,'{"pid":32023,"pid_start":4986550}'),
(1,4,1795353996956,49865548,'cancel_asked',NULL,NULL,NULL,NULL,NULL,NULL,'{"mode":"term","by":"root"}'),
(1,5,1795353996956,49865548,'step_ended','queued',1,0,1,1,NULL,'{"decision":"cancelled","attempts":0}'),
(1,6,1795353996961,49865553,'attempt_ended','sleeps',0,0,1,1,1,'{"outcome":"cancelled","code":143,"ran_ms":48,"out_bytes":0,"err_bytes":0,"cpu_ms":1,"fingerprint":"6acfbd33be7e812a1681ad328f754649"}'),
(1,7,1795353996961,49865553,'attempt_judged','sleeps',0,0,1,1,1,'{"class":"persistent","reason":"cancelled","rule":"known.cancelled"}'),
(1,8,1795353996961,49865553,'step_ended','sleeps',0,0,1,1,1,'{"decision":"cancelled","attempts":1,"capture":true,"policy":"default","phase":"GREEN","used":1,"allowed":3}'),
(1,9,1795353996961,49865553,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":130}');
