-- Answers that do not fit: mended by a second prompt, tried again, and too wrong for that.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'224842ee3a92990b7f79864947cd83d5','plan','plan','/tmp/devs-golden/contracts','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',132972369392151654,1,4,542,4987125,1795354002798,1795354003238,1,52,1795354003238,8,2,2,0,140,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "agent", "steps": [{"agent": "claude", "prompt": "Write it.", "policy": "soon", "resume": "own-session", "contract": "answer"}], "rounds": 2}, {"id": "prose", "steps": [{"run": ["sh", "-c", "echo ''Sure: {\"summary\": 1}''"], "contract": "answer", "policy": "fast"}]}, {"id": "other", "steps": [{"run": ["sh", "-c", "echo ''{\"kernel\": \"review\"}''"], "contract": "answer"}]}, {"id": "fits", "steps": [{"run": ["sh", "-c", "echo ''{\"summary\": \"done\"}''"], "contract": "answer"}]}], "jobs": 1, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}}, "contracts": {"answer": {"type": "object", "required": ["summary"], "properties": {"kernel": {"const": "fix"}, "summary": {"type": "string"}}}}}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795354002798,49871391,1,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795354002798,49871391,3,0,0,1,1,1,6525227101595085025,5989417239966335284,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795354002812,49871404,4,0,0,1,1,1,560,4987139,NULL,NULL,NULL,NULL), -- attempt_running
(1,4,1795354002898,49871490,33,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,5,1795354002904,49871496,35,0,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"{\"kernel\": \"fix\"}","loop":{"kind":"message","call":"cf006ede77738d9431ba53571c84f424"}}'), -- agent_call
(1,6,1795354002904,49871496,34,0,0,1,1,1,1,NULL,NULL,15,NULL,NULL), -- agent_used
(1,7,1795354002924,49871516,34,0,0,1,1,1,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,8,1795354002924,49871516,5,0,0,1,1,1,NULL,NULL,125,544,NULL,'{"cpu":44,"out_lines":3,"fp":"a08856e24d5d298124267d6220eb51f9","fails":true,"new":1000,"loop":{"raw":2879114880104938823,"bits":1,"gain":"line","lines":3}}'), -- attempt_ended
(1,9,1795354002924,49871516,6,0,0,1,1,1,2,NULL,13,NULL,NULL,'{"rule":"contract","subtype":"MISSING_FIELD","match":"[MISSING_FIELD] /summary: required (expected string, got nothing)","violations":["[MISSING_FIELD] /summary: required (expected string, got nothing)"]}'), -- attempt_judged
(1,10,1795354002924,49871516,37,0,0,1,1,1,2,NULL,NULL,1,NULL,'{"prompt":"Your previous response had validation errors:\n\n1. Path: /summary\n   Code: MISSING_FIELD\n   Error: required\n   Expected: string\n   Got: nothing\n\nInstructions:\n1. Fix all of the errors above.\n2. Return only valid JSON that matches the output contract.\n3. Do not use markdown code blocks.\n4. Do not add any explanation or preamble.\n\nRespond with the corrected JSON:\n"}'), -- round_started
(1,11,1795354002924,49871516,3,0,0,2,1,2,6525227101595085025,5989417239966335284,NULL,NULL,NULL,NULL), -- attempt_started
(1,12,1795354002928,49871520,4,0,0,2,1,2,575,4987151,NULL,NULL,NULL,NULL), -- attempt_running
(1,13,1795354003049,49871641,33,0,0,2,1,2,NULL,NULL,NULL,NULL,NULL,'{"agent":"claude","session":"own-session","resumed":true}'), -- agent_session
(1,14,1795354003056,49871648,35,0,0,2,1,2,1,NULL,NULL,NULL,NULL,'{"tool":"","what":"{\"kernel\": \"fix\", \"summary\": \"done\"}","loop":{"kind":"message","call":"7f415db7f0f7bc5b585a99503be626ac"}}'), -- agent_call
(1,15,1795354003056,49871648,34,0,0,2,1,2,1,NULL,NULL,15,NULL,NULL), -- agent_used
(1,16,1795354003081,49871674,34,0,0,2,1,2,1,NULL,1000,15,NULL,NULL), -- agent_used
(1,17,1795354003081,49871674,5,0,0,2,1,2,NULL,NULL,158,590,NULL,'{"cpu":46,"out_lines":3,"fp":"4867b6cee4956dd6bdc03b45b0df6ab3","new":333}'), -- attempt_ended
(1,18,1795354003081,49871674,9,0,0,2,1,2,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,19,1795354003081,49871674,3,1,0,1,1,1,-1766741162510447873,-1275997487826522831,NULL,NULL,NULL,NULL), -- attempt_started
(1,20,1795354003085,49871677,4,1,0,1,1,1,595,4987167,NULL,NULL,NULL,NULL), -- attempt_running
(1,21,1795354003090,49871682,5,1,0,1,1,1,NULL,NULL,8,21,NULL,'{"out_lines":1,"fp":"b79b11223ef723d0204a18f37db15808","fails":true,"new":1000,"loop":{"raw":-8599011624447097419,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,22,1795354003090,49871682,6,1,0,1,1,1,2,NULL,13,NULL,NULL,'{"rule":"contract","subtype":"NOT_JSON","match":"[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7","violations":["[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7"]}'), -- attempt_judged
(1,23,1795354003090,49871682,7,1,0,1,1,1,20,1795354003110,49871702,20,NULL,'{"policy":"fast","n":1,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,24,1795354003090,49871682,3,2,0,1,1,1,-2966467994990978564,1095712640866048079,NULL,NULL,NULL,NULL), -- attempt_started
(1,25,1795354003090,49871683,4,2,0,1,1,1,601,4987168,NULL,NULL,NULL,NULL), -- attempt_running
(1,26,1795354003091,49871683,5,2,0,1,1,1,NULL,NULL,1,21,NULL,'{"out_lines":1,"fp":"6fa920a457f0a6e590c816b9f7371cad","fails":true,"new":1000,"loop":{"raw":2726176877187022045,"bits":1,"gain":"line","lines":1}}'), -- attempt_ended
(1,27,1795354003091,49871683,6,2,0,1,1,1,2,NULL,13,NULL,NULL,'{"rule":"contract","subtype":"KERNEL_MISMATCH","match":"[KERNEL_MISMATCH] /kernel: not the requested kernel (expected \"fix\", got \"review\")","no_retry":true,"violations":["[KERNEL_MISMATCH] /kernel: not the requested kernel (expected \"fix\", got \"review\")","[MISSING_FIELD] /summary: required (expected string, got nothing)"]}'), -- attempt_judged
(1,28,1795354003091,49871683,9,2,0,1,1,1,2,1,1,1,NULL,'{"policy":"default","phase":"GREEN","used":1,"allowed":3}'), -- step_ended
(1,29,1795354003091,49871683,3,3,0,1,1,1,8262787290578161137,7399416296300892674,NULL,NULL,NULL,NULL), -- attempt_started
(1,30,1795354003094,49871687,4,3,0,1,1,1,602,4987168,NULL,NULL,NULL,NULL), -- attempt_running
(1,31,1795354003095,49871687,5,3,0,1,1,1,NULL,NULL,3,20,NULL,'{"out_lines":1,"fp":"40db46001f84161013273ac698d943fe","new":1000}'), -- attempt_ended
(1,32,1795354003095,49871687,9,3,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,33,1795354003110,49871702,8,1,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,34,1795354003110,49871702,3,1,0,1,1,2,-1766741162510447873,-1275997487826522831,NULL,NULL,NULL,NULL), -- attempt_started
(1,35,1795354003111,49871703,4,1,0,1,1,2,605,4987170,NULL,NULL,NULL,NULL), -- attempt_running
(1,36,1795354003114,49871706,5,1,0,1,1,2,NULL,NULL,3,21,NULL,'{"out_lines":1,"fp":"b79b11223ef723d0204a18f37db15808","fails":true,"new":0,"loop":{"raw":-8599011624447097419,"bits":1,"lines":1}}'), -- attempt_ended
(1,37,1795354003114,49871706,6,1,0,1,1,2,2,NULL,13,NULL,NULL,'{"rule":"contract","subtype":"NOT_JSON","match":"[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7","violations":["[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7"]}'), -- attempt_judged
(1,38,1795354003114,49871706,7,1,0,1,1,2,40,1795354003154,49871746,40,NULL,'{"policy":"fast","n":2,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":2,"allowed":4}'), -- wait_started
(1,39,1795354003154,49871746,8,1,0,1,1,2,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,40,1795354003154,49871746,3,1,0,1,1,3,-1766741162510447873,-1275997487826522831,NULL,NULL,NULL,NULL), -- attempt_started
(1,41,1795354003156,49871748,4,1,0,1,1,3,609,4987174,NULL,NULL,NULL,NULL), -- attempt_running
(1,42,1795354003156,49871748,5,1,0,1,1,3,NULL,NULL,1,21,NULL,'{"out_lines":1,"fp":"b79b11223ef723d0204a18f37db15808","fails":true,"new":0,"loop":{"raw":-8599011624447097419,"bits":1,"lines":1}}'), -- attempt_ended
(1,43,1795354003156,49871748,6,1,0,1,1,3,2,NULL,13,NULL,NULL,'{"rule":"contract","subtype":"NOT_JSON","match":"[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7","violations":["[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7"]}'), -- attempt_judged
(1,44,1795354003156,49871748,23,1,0,1,1,3,1,1,3,3,NULL,'{"rung":"repeat","count":3,"period":1,"first":1,"last":3,"identity":"94f07787560ae43b3a4d769c5382f5d6","why":"the same call with the same result, 3 times in a row","nudge":"You may be in a loop: the same call with the same result, 3 times in a row, last `sh -c echo ''Sure: {\"summary\": 1}''`. Please do something else, or say what blocks you."}'), -- loop_suspected
(1,45,1795354003156,49871748,7,1,0,1,1,3,80,1795354003236,49871828,80,NULL,'{"policy":"fast","n":3,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":3,"allowed":4}'), -- wait_started
(1,46,1795354003236,49871828,8,1,0,1,1,3,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,47,1795354003236,49871828,3,1,0,1,1,4,-1766741162510447873,-1275997487826522831,NULL,NULL,NULL,NULL), -- attempt_started
(1,48,1795354003238,49871830,4,1,0,1,1,4,618,4987182,NULL,NULL,NULL,NULL), -- attempt_running
(1,49,1795354003238,49871830,5,1,0,1,1,4,NULL,NULL,1,21,NULL,'{"out_lines":1,"fp":"b79b11223ef723d0204a18f37db15808","fails":true,"new":0,"loop":{"raw":-8599011624447097419,"bits":1,"lines":1}}'), -- attempt_ended
(1,50,1795354003238,49871830,6,1,0,1,1,4,2,NULL,13,NULL,NULL,'{"rule":"contract","subtype":"NOT_JSON","match":"[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7","violations":["[NOT_JSON] (root): line 1, column 1: invalid token ''Sure''; JSON begins at line 1, column 7"]}'), -- attempt_judged
(1,51,1795354003238,49871830,9,1,0,1,1,4,3,4,1,1,NULL,'{"policy":"fast","phase":"GREEN","used":4,"allowed":4}'), -- step_ended
(1,52,1795354003238,49871830,2,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,0,0,1,1,0,0,0,1795354002898,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/contracts"}'||char(10)||'' AS BLOB)),
(3,1,0,0,1,1,0,1,104,1795354002924,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_1_end", "content": [{"type": "text", "text": "{\"kernel\": \"fix\"}"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "{\"kernel\": \"fix\"}", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(2,1,0,0,1,3,0,0,0,1795354002898,CAST('session own-session'||char(10)||'' AS BLOB)),
(4,1,0,0,1,3,0,1,20,1795354002924,CAST('{"kernel": "fix"}'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB)),
(5,1,0,0,2,1,0,0,0,1795354003049,CAST('{"type": "system", "subtype": "init", "session_id": "own-session", "cwd": "/tmp/devs-golden/contracts"}'||char(10)||'' AS BLOB)),
(7,1,0,0,2,1,0,1,104,1795354003082,CAST('{"type": "assistant", "session_id": "own-session", "message": {"id": "msg_2_end", "content": [{"type": "text", "text": "{\"kernel\": \"fix\", \"summary\": \"done\"}"}], "usage": {"input_tokens": 10, "output_tokens": 5}}}'||char(10)||'{"type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 1, "result": "{\"kernel\": \"fix\", \"summary\": \"done\"}", "session_id": "own-session", "total_cost_usd": 0.001, "usage": {"input_tokens": 10, "output_tokens": 5}}'||char(10)||'' AS BLOB)),
(6,1,0,0,2,3,0,0,0,1795354003049,CAST('session own-session'||char(10)||'' AS BLOB)),
(8,1,0,0,2,3,0,1,20,1795354003082,CAST('{"kernel": "fix", "summary": "done"}'||char(10)||'done: 1 turn, 0 calls, $0.0010'||char(10)||'' AS BLOB)),
(9,1,1,0,1,1,0,0,0,1795354003090,CAST('Sure: {"summary": 1}'||char(10)||'' AS BLOB)),
(12,1,1,0,2,1,0,0,0,1795354003114,CAST('Sure: {"summary": 1}'||char(10)||'' AS BLOB)),
(13,1,1,0,3,1,0,0,0,1795354003156,CAST('Sure: {"summary": 1}'||char(10)||'' AS BLOB)),
(14,1,1,0,4,1,0,0,0,1795354003238,CAST('Sure: {"summary": 1}'||char(10)||'' AS BLOB)),
(10,1,2,0,1,1,0,0,0,1795354003091,CAST('{"kernel": "review"}'||char(10)||'' AS BLOB)),
(11,1,3,0,1,1,0,0,0,1795354003096,CAST('{"summary": "done"}'||char(10)||'' AS BLOB));
