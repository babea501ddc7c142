-- A service that says when to come back: its gate closes, one goes first, then the others.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'1a0503cce5c4a23a49d05856a33c1e66','plan','plan','/tmp/devs-golden/limits','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-3530954416130831076,3,3,31158,4985811,1795353989664,1795353990082,0,33,1795353990082,4,3,0,0,22,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "one", "steps": [{"agent": "claude", "prompt": "Write it.", "policy": "soon", "resume": "own-session"}]}, {"id": "two", "steps": [{"agent": "claude", "prompt": "Write it.", "policy": "soon", "resume": "own-session"}]}, {"id": "three", "steps": [{"agent": "claude", "prompt": "Write it.", "policy": "soon", "resume": "own-session"}]}], "jobs": 3, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795353989665,49858257,1,NULL,NULL,NULL,NULL,NULL,3,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795353989665,49858257,3,0,0,1,1,1,546642769248919546,1521587370492667110,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795353989665,49858257,3,1,0,1,1,1,546642769248919546,1521587370492667110,NULL,NULL,NULL,NULL), -- attempt_started
(1,4,1795353989665,49858257,3,2,0,1,1,1,546642769248919546,1521587370492667110,NULL,NULL,NULL,NULL), -- attempt_started
(1,5,1795353989676,49858268,4,0,0,1,1,1,31177,4985825,NULL,NULL,NULL,NULL), -- attempt_running
(1,6,1795353989681,49858273,4,1,0,1,1,1,31179,4985826,NULL,NULL,NULL,NULL), -- attempt_running
(1,7,1795353989696,49858288,4,2,0,1,1,1,31181,4985827,NULL,NULL,NULL,NULL), -- attempt_running
(1,8,1795353989808,49858400,33,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,9,1795353989808,49858400,34,0,0,1,1,1,1,NULL,NULL,NULL,NULL,NULL), -- agent_used
(1,10,1795353989819,49858411,33,1,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,11,1795353989832,49858424,35,1,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"done","loop":{"kind":"message","call":"f9905fa4ceeb8b3cf50b1263cff2e0d7"}}'), -- agent_call
(1,12,1795353989832,49858424,34,1,0,1,1,1,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,13,1795353989832,49858424,33,2,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,14,1795353989832,49858424,35,2,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"done","loop":{"kind":"message","call":"f9905fa4ceeb8b3cf50b1263cff2e0d7"}}'), -- agent_call
(1,15,1795353989832,49858424,34,2,0,1,1,1,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,16,1795353989844,49858436,5,0,0,1,1,1,NULL,1,179,308,NULL,'{"cpu":42,"out_lines":2,"fp":"3aad6d2b5aabce9e34cc6b213e75bbde","new":1000,"loop":{"raw":6529764215720910223,"bits":5,"gain":"line","lines":2}}'), -- attempt_ended
(1,17,1795353989844,49858436,6,0,0,1,1,1,1,4,NULL,NULL,NULL,'{"rule":"b1.http-429","subtype":"HTTP_429","stream":"stdout","offset":101,"line":0,"match":"API Error: 429 rate limited. Retry-After: 1"}'), -- attempt_judged
(1,18,1795353989844,49858436,7,0,0,1,1,1,22,1795353989866,49858458,20,NULL,'{"policy":"soon","n":1,"base":20,"multiplier":2,"cap":200,"jitter":0.5,"factor":1.115764350950248,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,19,1795353989844,49858436,19,0,0,1,1,1,NULL,1795353989866,49858458,1,NULL,NULL), -- gate_closed
(1,20,1795353989847,49858439,5,1,0,1,1,1,NULL,NULL,171,507,NULL,'{"cpu":40,"out_lines":3,"fp":"d901f5a5e23a20f7f095923c66c92319","new":1000}'), -- attempt_ended
(1,21,1795353989847,49858439,9,1,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,22,1795353989864,49858456,5,2,0,1,1,1,NULL,NULL,183,507,NULL,'{"cpu":41,"out_lines":3,"fp":"d901f5a5e23a20f7f095923c66c92319","new":1000}'), -- attempt_ended
(1,23,1795353989864,49858456,9,2,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,24,1795353989866,49858458,8,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,25,1795353989866,49858458,3,0,0,1,1,2,546642769248919546,1521587370492667110,NULL,NULL,NULL,NULL), -- attempt_started
(1,26,1795353989901,49858493,4,0,0,1,1,2,31199,4985849,NULL,NULL,NULL,NULL), -- attempt_running
(1,27,1795353990058,49858650,33,0,0,1,1,2,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,28,1795353990072,49858664,35,0,0,1,1,2,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"done","loop":{"kind":"message","call":"f9905fa4ceeb8b3cf50b1263cff2e0d7"}}'), -- agent_call
(1,29,1795353990072,49858664,34,0,0,1,1,2,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,30,1795353990082,49858674,5,0,0,1,1,2,NULL,NULL,182,507,NULL,'{"cpu":42,"out_lines":3,"fp":"d901f5a5e23a20f7f095923c66c92319","new":666}'), -- attempt_ended
(1,31,1795353990082,49858674,9,0,0,1,1,2,NULL,2,NULL,NULL,NULL,NULL), -- step_ended
(1,32,1795353990082,49858674,20,0,0,1,1,2,NULL,NULL,1000,NULL,NULL,NULL), -- gate_opened
(1,33,1795353990082,49858674,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795353989808,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/limits"}'||char(10)||'{"type": "result", "subtype": "success", "is_error": true, "api_error_status": 429, "num_turns": 1, "result": "API Error: 429 rate limited. Retry-After: 1", "session_id": "own-session", "total_cost_usd": 0}'||char(10)||'' AS BLOB)),
(2,1,0,0,1,3,0,0,0,1795353989808,CAST('session own-session'||char(10)||'! API Error: 429 rate limited. Retry-After: 1'||char(10)||'' AS BLOB)),
(9,1,0,0,2,1,0,0,0,1795353990058,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/limits"}'||char(10)||'' AS BLOB)),
(11,1,0,0,2,1,0,1,101,1795353990082,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_4_end", "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "done", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(10,1,0,0,2,3,0,0,0,1795353990058,CAST('session own-session'||char(10)||'' AS BLOB)),
(12,1,0,0,2,3,0,1,20,1795353990082,CAST('done'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB)),
(3,1,1,0,1,1,0,0,0,1795353989819,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/limits"}'||char(10)||'' AS BLOB)),
(7,1,1,0,1,1,0,1,101,1795353989847,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_2_end", "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "done", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(4,1,1,0,1,3,0,0,0,1795353989819,CAST('session own-session'||char(10)||'' AS BLOB)),
(8,1,1,0,1,3,0,1,20,1795353989847,CAST('done'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB)),
(5,1,2,0,1,1,0,0,0,1795353989832,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/limits"}'||char(10)||'{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_3_end", "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "done", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(6,1,2,0,1,3,0,0,0,1795353989832,CAST('session own-session'||char(10)||'done'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB));
