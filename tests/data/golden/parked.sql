-- A limit that is too far away, and a login that is missing: both need a person.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'02c4e20c69b37f8e2ef81c8e1da9da27','plan','plan','/tmp/devs-golden/parked','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-4913340898757472930,1,2,31227,4985872,1795353990303,1795353992723,4,26,1795353992723,3,0,2,0,1954,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "quota", "steps": [{"agent": "claude", "prompt": "Write it.", "policy": "short", "resume": "own-session"}]}, {"id": "login", "steps": [{"agent": "claude", "prompt": "Log in.", "policy": "soon", "resume": "own-session"}]}], "jobs": 1, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}, "short": {"like": "transport", "retry_after_cap_ms": 1000}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353990304,49858896,1,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353990304,49858896,3,0,0,1,1,1,6931459847928237137,8811977556772488779,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353990312,49858904,4,0,0,1,1,1,31243,4985890,NULL,NULL,NULL,NULL), -- attempt_running
(1,4,1795353990461,49859053,33,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,5,1795353990472,49859064,34,0,0,1,1,1,1,NULL,NULL,NULL,NULL,NULL), -- agent_used
(1,6,1795353990489,49859082,5,0,0,1,1,1,NULL,1,180,311,NULL,'{"cpu":42,"out_lines":2,"fp":"78788d5febae1628c0e1c346baa3f488","new":1000,"loop":{"raw":-4745484698383998571,"bits":5,"gain":"line","lines":2}}'), -- attempt_ended
(1,7,1795353990489,49859082,6,0,0,1,1,1,1,4,NULL,NULL,NULL,'{"rule":"b1.http-429","subtype":"HTTP_429","stream":"stdout","offset":101,"line":0,"match":"API Error: 429 rate limited. Retry-After: 3600"}'), -- attempt_judged
(1,8,1795353990489,49859082,7,0,0,1,1,1,1949,1795353992438,49861031,2000,NULL,'{"policy":"short","n":1,"base":2000,"multiplier":2,"cap":60000,"jitter":0.5,"factor":0.97461070088415414,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,9,1795353990489,49859082,19,0,0,1,1,1,NULL,1795353992438,49861031,1,NULL,NULL), -- gate_closed
(1,10,1795353992444,49861036,8,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,11,1795353992444,49861036,3,0,0,1,1,2,6931459847928237137,8811977556772488779,NULL,NULL,NULL,NULL), -- attempt_started
(1,12,1795353992460,49861052,4,0,0,1,1,2,31389,4986104,NULL,NULL,NULL,NULL), -- attempt_running
(1,13,1795353992573,49861165,33,0,0,1,1,2,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,14,1795353992573,49861165,34,0,0,1,1,2,1,NULL,NULL,NULL,NULL,NULL), -- agent_used
(1,15,1795353992583,49861175,5,0,0,1,1,2,NULL,1,127,309,NULL,'{"cpu":43,"out_lines":2,"fp":"aa285603d20513a8eab2485e7ca28845","new":500,"loop":{"raw":5828457108152520623,"bits":1,"gain":"line","lines":2}}'), -- attempt_ended
(1,16,1795353992583,49861175,6,0,0,1,1,2,2,NULL,9,NULL,NULL,'{"rule":"http.bad-request","subtype":"INVALID_REQUEST","stream":"stdout","offset":101,"line":0,"match":"HTTP 400"}'), -- attempt_judged
(1,17,1795353992583,49861175,9,0,0,1,1,2,2,2,1,1,NULL,'{"policy":"short","phase":"GREEN","used":2,"allowed":4}'), -- step_ended
(1,18,1795353992583,49861175,20,0,0,1,1,2,NULL,1,1000,NULL,NULL,NULL), -- gate_opened
(1,19,1795353992583,49861175,3,1,0,1,1,1,-5413505200558150573,-8492657345266601604,NULL,NULL,NULL,NULL), -- attempt_started
(1,20,1795353992592,49861184,4,1,0,1,1,1,31394,4986117,NULL,NULL,NULL,NULL), -- attempt_running
(1,21,1795353992713,49861305,33,1,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,22,1795353992713,49861305,34,1,0,1,1,1,1,NULL,NULL,NULL,NULL,NULL), -- agent_used
(1,23,1795353992723,49861315,5,1,0,1,1,1,NULL,1,139,291,NULL,'{"cpu":44,"out_lines":2,"fp":"be75e708f60293c6ee73099d46741509","new":1000,"loop":{"raw":-3718504230576467257,"bits":1,"gain":"line","lines":2}}'), -- attempt_ended
(1,24,1795353992723,49861315,6,1,0,1,1,1,2,NULL,6,NULL,NULL,'{"rule":"message.credential","subtype":"AUTH","stream":"stdout","offset":101,"line":0,"match":"API Error: Invalid API key","ask":true}'), -- attempt_judged
(1,25,1795353992723,49861315,9,1,0,1,1,1,6,1,NULL,1,NULL,'{"policy":"soon","phase":"GREEN","used":1,"allowed":4}'), -- step_ended
(1,26,1795353992723,49861315,2,NULL,NULL,NULL,NULL,NULL,4,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353990461,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/parked"}'||char(10)||'' AS BLOB)),
(3,1,0,0,1,1,0,1,101,1795353990490,CAST('{"type": "result", "subtype": "success", "is_error": true, "api_error_status": 429, "num_turns": 1, "result": "API Error: 429 rate limited. Retry-After: 3600", "session_id": "own-session", "total_cost_usd": 0}'||char(10)||'' AS BLOB)),
(2,1,0,0,1,3,0,0,0,1795353990461,CAST('session own-session'||char(10)||'' AS BLOB)),
(4,1,0,0,1,3,0,1,20,1795353990490,CAST('! API Error: 429 rate limited. Retry-After: 3600'||char(10)||'' AS BLOB)),
(5,1,0,0,2,1,0,0,0,1795353992573,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/parked"}'||char(10)||'{"type": "result", "subtype": "success", "is_error": true, "api_error_status": 400, "num_turns": 1, "result": "API Error: the script has no answer for this", "session_id": "own-session", "total_cost_usd": 0}'||char(10)||'' AS BLOB)),
(6,1,0,0,2,3,0,0,0,1795353992573,CAST('session own-session'||char(10)||'! API Error: the script has no answer for this'||char(10)||'' AS BLOB)),
(7,1,1,0,1,1,0,0,0,1795353992713,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/parked"}'||char(10)||'' AS BLOB)),
(9,1,1,0,1,1,0,1,101,1795353992723,CAST('{"type": "result", "subtype": "success", "is_error": true, "api_error_status": 401, "num_turns": 1, "result": "API Error: Invalid API key", "session_id": "own-session", "total_cost_usd": 0}'||char(10)||'' AS BLOB)),
(8,1,1,0,1,3,0,0,0,1795353992713,CAST('session own-session'||char(10)||'' AS BLOB)),
(10,1,1,0,1,3,0,1,20,1795353992723,CAST('! API Error: Invalid API key'||char(10)||'' AS BLOB));
