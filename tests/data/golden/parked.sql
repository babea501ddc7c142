-- A limit that is too far away, and a login that is missing: both need a person.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'02c4e20c69b37f8e2ef81c8e1da9da27','plan','plan','/tmp/devs-golden/parked','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-4913340898757472930,1,2,31227,4985872,1795353990303,1795353992723,4,26,1795353992723,3,0,2,0,1954,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "quota", "steps": [{"agent": "claude", "prompt": "Write it.", "policy": "short", "resume": "own-session"}]}, {"id": "login", "steps": [{"agent": "claude", "prompt": "Log in.", "policy": "soon", "resume": "own-session"}]}], "jobs": 1, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}, "short": {"like": "transport", "retry_after_cap_ms": 1000}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795353990304,49858896,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":1,"by":"root"}'),
(1,2,1795353990304,49858896,'attempt_started','quota',0,0,1,1,1,'{"call":"60317e01daa54c517a4a6ee66823864b"}'),
(1,3,1795353990312,49858904,'attempt_running','quota',0,0,1,1,1,'{"pid":31243,"pid_start":4985890}'),
(1,4,1795353990461,49859053,'agent_session','quota',0,0,1,1,1,'{"agent":"claude","session":"own-session","resumed":true}'),
(1,5,1795353990472,49859064,'agent_used','quota',0,0,1,1,1,'{"turns":1,"calls":0,"cost_micro":0,"tokens":0}'),
(1,6,1795353990489,49859082,'attempt_ended','quota',0,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":180,"out_bytes":311,"err_bytes":0,"out_lines":2,"cpu_ms":42,"fingerprint":"78788d5febae1628c0e1c346baa3f488","new_permille":1000,"loop":{"raw":-4745484698383998571,"bits":5,"gain":"line","lines":2}}'),
(1,7,1795353990489,49859082,'attempt_judged','quota',0,0,1,1,1,'{"class":"transient","type":"API_RATE_LIMIT","rule":"b1.http-429","subtype":"HTTP_429","stream":"stdout","offset":101,"line":0,"match":"API Error: 429 rate limited. Retry-After: 3600"}'),
(1,8,1795353990489,49859082,'wait_started','quota',0,0,1,1,1,'{"delay_ms":1949,"due_at_ms":1795353992438,"due_mono_ms":49861031,"exact_ms":2000,"retry_number":1,"factor":0.97461070088415414,"policy":"short","base_ms":2000,"multiplier":2,"cap_ms":60000,"jitter":0.5,"used":1,"allowed":4}'),
(1,9,1795353990489,49859082,'gate_closed','quota',0,0,1,1,1,'{"source":0,"due_at_ms":1795353992438,"due_mono_ms":49861031,"limits":1}'),
(1,10,1795353992444,49861036,'wait_ended','quota',0,0,1,1,1,'{}'),
(1,11,1795353992444,49861036,'attempt_started','quota',0,0,1,1,2,'{"call":"60317e01daa54c517a4a6ee66823864b"}'),
(1,12,1795353992460,49861052,'attempt_running','quota',0,0,1,1,2,'{"pid":31389,"pid_start":4986104}'),
(1,13,1795353992573,49861165,'agent_session','quota',0,0,1,1,2,'{"agent":"claude","session":"own-session","resumed":true}'),
(1,14,1795353992573,49861165,'agent_used','quota',0,0,1,1,2,'{"turns":1,"calls":0,"cost_micro":0,"tokens":0}'),
(1,15,1795353992583,49861175,'attempt_ended','quota',0,0,1,1,2,'{"outcome":"exit","code":1,"ran_ms":127,"out_bytes":309,"err_bytes":0,"out_lines":2,"cpu_ms":43,"fingerprint":"aa285603d20513a8eab2485e7ca28845","new_permille":500,"loop":{"raw":5828457108152520623,"bits":1,"gain":"line","lines":2}}'),
(1,16,1795353992583,49861175,'attempt_judged','quota',0,0,1,1,2,'{"class":"persistent","reason":"bad-request","rule":"http.bad-request","subtype":"INVALID_REQUEST","stream":"stdout","offset":101,"line":0,"match":"HTTP 400"}'),
(1,17,1795353992583,49861175,'step_ended','quota',0,0,1,1,2,'{"decision":"failed","attempts":2,"entropy":true,"capture":true,"policy":"short","phase":"GREEN","used":2,"allowed":4}'),
(1,18,1795353992583,49861175,'gate_opened','quota',0,0,1,1,2,'{"source":0,"waiting":1,"spacing_ms":1000}'),
(1,19,1795353992583,49861175,'attempt_started','login',1,0,1,1,1,'{"call":"b4df5db3bb006c538a240523f845b17c"}'),
(1,20,1795353992592,49861184,'attempt_running','login',1,0,1,1,1,'{"pid":31394,"pid_start":4986117}'),
(1,21,1795353992713,49861305,'agent_session','login',1,0,1,1,1,'{"agent":"claude","session":"own-session","resumed":true}'),
(1,22,1795353992713,49861305,'agent_used','login',1,0,1,1,1,'{"turns":1,"calls":0,"cost_micro":0,"tokens":0}'),
(1,23,1795353992723,49861315,'attempt_ended','login',1,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":139,"out_bytes":291,"err_bytes":0,"out_lines":2,"cpu_ms":44,"fingerprint":"be75e708f60293c6ee73099d46741509","new_permille":1000,"loop":{"raw":-3718504230576467257,"bits":1,"gain":"line","lines":2}}'),
(1,24,1795353992723,49861315,'attempt_judged','login',1,0,1,1,1,'{"class":"persistent","reason":"auth","rule":"message.credential","subtype":"AUTH","stream":"stdout","offset":101,"line":0,"match":"API Error: Invalid API key","ask":true}'),
(1,25,1795353992723,49861315,'step_ended','login',1,0,1,1,1,'{"decision":"needs you","attempts":1,"capture":true,"policy":"soon","phase":"GREEN","used":1,"allowed":4}'),
(1,26,1795353992723,49861315,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":4}');
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
