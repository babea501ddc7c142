-- An agent that is told what is red: mended in the second round, and not in the last one.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'f4eda7b0b41dd2ec5d7998cf8619e373','plan','plan','/tmp/devs-golden/rounds','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',-8093902492467065015,1,2,433,4987035,1795354001915,1795354002529,1,52,1795354002529,8,1,1,0,0,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "mended", "steps": [{"agent": "claude", "prompt": "Write good.", "policy": "soon", "resume": "own-session"}, {"run": ["sh", "-c", "[ -e good ] || { echo ''not ok 1 - list''; exit 1; }"]}], "rounds": 3}, {"id": "broken", "steps": [{"agent": "claude", "prompt": "Write it.", "policy": "soon", "resume": "own-session"}, {"run": ["sh", "-c", "echo ''not ok 2 - tax''; exit 1"]}], "rounds": 2, "needs": ["mended"]}], "jobs": 1, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795354001918,49870510,1,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795354001918,49870510,3,0,0,1,1,1,-5813517803956820058,-1598039986644943243,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795354001930,49870522,4,0,0,1,1,1,457,4987051,NULL,NULL,NULL,NULL), -- attempt_running
(1,4,1795354002031,49870623,33,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,5,1795354002037,49870629,35,0,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"done","loop":{"kind":"message","call":"f9905fa4ceeb8b3cf50b1263cff2e0d7"}}'), -- agent_call
(1,6,1795354002037,49870629,34,0,0,1,1,1,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,7,1795354002064,49870656,5,0,0,1,1,1,NULL,NULL,146,507,NULL,'{"cpu":43,"out_lines":3,"fp":"d901f5a5e23a20f7f095923c66c92319","new":1000,"loop":{"raw":1162073229943720929,"gain":"line","lines":3}}'), -- attempt_ended
(1,8,1795354002064,49870656,9,0,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,9,1795354002064,49870656,3,0,1,1,1,1,-8468908469449298762,-8210255632171216607,NULL,NULL,NULL,NULL), -- attempt_started
(1,10,1795354002065,49870657,4,0,1,1,1,1,478,4987065,NULL,NULL,NULL,NULL), -- attempt_running
(1,11,1795354002065,49870657,5,0,1,1,1,1,NULL,1,1,16,NULL,'{"out_lines":1,"fp":"d037184927cc031ac02af17fc65d1613","new":1000,"loop":{"raw":5678809898815179816,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,12,1795354002065,49870657,6,0,1,1,1,1,2,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 1 - list"}'), -- attempt_judged
(1,13,1795354002065,49870657,37,0,1,1,1,1,2,NULL,1,1,NULL,'{"prompt":"A check of your work failed.\n\nCommand: sh -c [ -e good ] || { echo ''not ok 1 - list''; exit 1; }\nIt ended with: exit 1: not ok 1 - list\n\nThe end of its output:\n\nnot ok 1 - list\n\nFind the cause and fix it. Do not weaken the check to make it pass. When you are done, this command is run again.\n"}'), -- round_started
(1,14,1795354002065,49870657,3,0,0,2,1,2,-5813517803956820058,-1598039986644943243,NULL,NULL,NULL,NULL), -- attempt_started
(1,15,1795354002066,49870658,4,0,0,2,1,2,479,4987065,NULL,NULL,NULL,NULL), -- attempt_running
(1,16,1795354002159,49870751,33,0,0,2,1,2,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,17,1795354002166,49870759,34,0,0,2,1,2,1,1,NULL,NULL,NULL,NULL), -- agent_used
(1,18,1795354002167,49870759,35,0,0,2,1,2,1,NULL,NULL,NULL,NULL,'{"tool":"Bash","what":"touch good","loop":{"call":"05d3e36ad2c346badc059444e81f45a1","out":"4a679b01e5e1d78209daa6f9bc42cae9","raw":1006293497620767561,"bits":8,"gain":"change"}}'), -- agent_call
(1,19,1795354002167,49870759,35,0,0,2,1,2,2,NULL,NULL,NULL,NULL,'{"tool":"","what":"Done.","loop":{"kind":"message","call":"f9905fa4ceeb8b3cf50b1263cff2e0d7"}}'), -- agent_call
(1,20,1795354002201,49870793,34,0,0,2,1,2,2,1,1000,15,NULL,NULL), -- agent_used
(1,21,1795354002201,49870793,5,0,0,2,1,2,NULL,NULL,135,858,NULL,'{"cpu":48,"out_lines":5,"fp":"7a9cc43e1c7c1b0bc45240c34e313147","new":750,"loop":{"raw":294096700536958217,"gain":"line","lines":4}}'), -- attempt_ended
(1,22,1795354002201,49870793,9,0,0,2,1,2,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,23,1795354002201,49870793,3,0,1,2,1,2,-8468908469449298762,-8210255632171216607,NULL,NULL,NULL,NULL), -- attempt_started
(1,24,1795354002203,49870795,4,0,1,2,1,2,493,4987079,NULL,NULL,NULL,NULL), -- attempt_running
(1,25,1795354002203,49870795,5,0,1,2,1,2,NULL,NULL,2,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,26,1795354002203,49870795,9,0,1,2,1,2,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,27,1795354002203,49870795,3,1,0,1,1,1,-8895719013535401438,5576711374789936438,NULL,NULL,NULL,NULL), -- attempt_started
(1,28,1795354002208,49870800,4,1,0,1,1,1,496,4987079,NULL,NULL,NULL,NULL), -- attempt_running
(1,29,1795354002321,49870913,33,1,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,30,1795354002324,49870916,35,1,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"done","loop":{"kind":"message","call":"f9905fa4ceeb8b3cf50b1263cff2e0d7"}}'), -- agent_call
(1,31,1795354002324,49870916,34,1,0,1,1,1,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,32,1795354002350,49870942,5,1,0,1,1,1,NULL,NULL,147,507,NULL,'{"cpu":45,"out_lines":3,"fp":"d901f5a5e23a20f7f095923c66c92319","new":1000,"loop":{"raw":1162073229943720929,"gain":"line","lines":3}}'), -- attempt_ended
(1,33,1795354002350,49870942,9,1,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,34,1795354002350,49870942,3,1,1,1,1,1,-6288658537687200929,9057461430564135466,NULL,NULL,NULL,NULL), -- attempt_started
(1,35,1795354002351,49870943,4,1,1,1,1,1,510,4987094,NULL,NULL,NULL,NULL), -- attempt_running
(1,36,1795354002359,49870951,5,1,1,1,1,1,NULL,1,9,15,NULL,'{"out_lines":1,"fp":"11c781ae4d458a11078bb2a8abc53a7a","new":1000,"loop":{"raw":-5809953552351640779,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,37,1795354002359,49870951,6,1,1,1,1,1,2,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 2 - tax"}'), -- attempt_judged
(1,38,1795354002359,49870951,37,1,1,1,1,1,2,NULL,1,1,NULL,'{"prompt":"A check of your work failed.\n\nCommand: sh -c echo ''not ok 2 - tax''; exit 1\nIt ended with: exit 1: not ok 2 - tax\n\nThe end of its output:\n\nnot ok 2 - tax\n\nFind the cause and fix it. Do not weaken the check to make it pass. When you are done, this command is run again.\n"}'), -- round_started
(1,39,1795354002359,49870951,3,1,0,2,1,2,-8895719013535401438,5576711374789936438,NULL,NULL,NULL,NULL), -- attempt_started
(1,40,1795354002364,49870956,4,1,0,2,1,2,512,4987095,NULL,NULL,NULL,NULL), -- attempt_running
(1,41,1795354002487,49871080,33,1,0,2,1,2,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,42,1795354002495,49871087,35,1,0,2,1,2,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"done","loop":{"kind":"message","call":"f9905fa4ceeb8b3cf50b1263cff2e0d7","bits":16}}'), -- agent_call
(1,43,1795354002495,49871088,34,1,0,2,1,2,1,NULL,NULL,15,NULL,NULL), -- agent_used
(1,44,1795354002528,49871120,34,1,0,2,1,2,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,45,1795354002528,49871120,5,1,0,2,1,2,NULL,NULL,168,507,NULL,'{"cpu":46,"out_lines":3,"fp":"d901f5a5e23a20f7f095923c66c92319","new":0,"loop":{"raw":1162073229943720929,"lines":3}}'), -- attempt_ended
(1,46,1795354002528,49871120,9,1,0,2,1,2,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,47,1795354002528,49871120,3,1,1,2,1,2,-6288658537687200929,9057461430564135466,NULL,NULL,NULL,NULL), -- attempt_started
(1,48,1795354002529,49871121,4,1,1,2,1,2,529,4987112,NULL,NULL,NULL,NULL), -- attempt_running
(1,49,1795354002529,49871121,5,1,1,2,1,2,NULL,1,1,15,NULL,'{"out_lines":1,"fp":"11c781ae4d458a11078bb2a8abc53a7a","new":0,"loop":{"raw":-5809953552351640779,"bits":1,"lines":1}}'), -- attempt_ended
(1,50,1795354002529,49871121,6,1,1,2,1,2,2,NULL,1,NULL,NULL,'{"rule":"test.tap","subtype":"TEST_FAILURE","stream":"stdout","offset":0,"line":1,"match":"not ok 2 - tax"}'), -- attempt_judged
(1,51,1795354002529,49871121,9,1,1,2,1,2,2,1,1,1,NULL,'{"policy":"infrastructure","phase":"GREEN","used":1,"allowed":4,"round":2,"rounds":2}'), -- step_ended
(1,52,1795354002529,49871121,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795354002031,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/rounds"}'||char(10)||'' AS BLOB)),
(3,1,0,0,1,1,0,1,101,1795354002064,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_1_end", "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "done", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(2,1,0,0,1,3,0,0,0,1795354002031,CAST('session own-session'||char(10)||'' AS BLOB)),
(4,1,0,0,1,3,0,1,20,1795354002064,CAST('done'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB)),
(6,1,0,0,2,1,0,0,0,1795354002159,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/rounds"}'||char(10)||'' AS BLOB)),
(8,1,0,0,2,1,0,1,101,1795354002201,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_2000", "content": [{"type": "tool_use", "id": "toolu_2000", "name": "Bash", "input": {"command": "touch good"}}]}}'||char(10)||'{"type": "user", "session_id": "own-session", "message": {"content": [{"type": "tool_result", "tool_use_id": "toolu_2000", "content": "", "is_error": false}]}}'||char(10)||'{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_2_end", "content": [{"type": "text", "text": "Done."}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 2, "result": "Done.", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(7,1,0,0,2,3,0,0,0,1795354002159,CAST('session own-session'||char(10)||'' AS BLOB)),
(9,1,0,0,2,3,0,1,20,1795354002201,CAST('> Bash: touch good'||char(10)||'Done.'||char(10)||'done: 2 turns, 1 call, $0.0010'||char(10)||'' AS BLOB)),
(5,1,0,1,1,1,0,0,0,1795354002066,CAST('not ok 1 - list'||char(10)||'' AS BLOB)),
(10,1,1,0,1,1,0,0,0,1795354002321,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/rounds"}'||char(10)||'' AS BLOB)),
(12,1,1,0,1,1,0,1,101,1795354002350,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_3_end", "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "done", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(11,1,1,0,1,3,0,0,0,1795354002321,CAST('session own-session'||char(10)||'' AS BLOB)),
(13,1,1,0,1,3,0,1,20,1795354002350,CAST('done'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB)),
(15,1,1,0,2,1,0,0,0,1795354002488,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/rounds"}'||char(10)||'' AS BLOB)),
(17,1,1,0,2,1,0,1,101,1795354002528,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_4_end", "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "done", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(16,1,1,0,2,3,0,0,0,1795354002488,CAST('session own-session'||char(10)||'' AS BLOB)),
(18,1,1,0,2,3,0,1,20,1795354002528,CAST('done'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB)),
(14,1,1,1,1,1,0,0,0,1795354002359,CAST('not ok 2 - tax'||char(10)||'' AS BLOB)),
(19,1,1,1,2,1,0,0,0,1795354002529,CAST('not ok 2 - tax'||char(10)||'' AS BLOB));
