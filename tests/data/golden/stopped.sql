-- ^C: the whole run is cancelled by the devs that runs it.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'ca3ff9b902a6fc79e387842abbc20aaf','plan','plan','/tmp/devs-golden/stopped','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-3618549654404130747,1,2,32000,4986540,1795353996909,1795353996961,130,9,1795353996961,1,0,0,2,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "sleeps", "steps": [{"run": ["sh", "-c", "sleep 600"]}]}, {"id": "queued", "steps": [{"run": ["sh", "-c", "true"]}]}], "jobs": 1}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353996910,49865502,1,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353996910,49865502,3,0,0,1,1,1,-3387920256581793506,7219519759280050927,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353996911,49865503,4,0,0,1,1,1,32023,4986550,NULL,NULL,NULL,NULL), -- attempt_running
(1,4,1795353996956,49865548,14,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- cancel_asked
(1,5,1795353996956,49865548,9,1,0,1,1,NULL,7,NULL,NULL,NULL,NULL,NULL), -- step_ended
(1,6,1795353996961,49865553,5,0,0,1,1,1,4,143,48,NULL,NULL,'{"cpu":1,"fp":"6acfbd33be7e812a1681ad328f754649"}'), -- attempt_ended
(1,7,1795353996961,49865553,6,0,0,1,1,1,2,NULL,19,NULL,NULL,'{"rule":"known.cancelled"}'), -- attempt_judged
(1,8,1795353996961,49865553,9,0,0,1,1,1,7,1,NULL,1,NULL,'{"policy":"default","phase":"GREEN","used":1,"allowed":3}'), -- step_ended
(1,9,1795353996961,49865553,2,NULL,NULL,NULL,NULL,NULL,130,NULL,NULL,NULL,NULL,NULL); -- run_ended
