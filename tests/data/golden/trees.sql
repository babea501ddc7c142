-- Tasks in worktrees of a repository: saved, put back, proven and kept.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'55d7a53f8d3379041f47b3a1a920901f','plan','plan','/tmp/devs-golden/trees','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',2742076254815042715,1,2,1024,4987456,1795354006126,1795354006350,0,26,1795354006350,3,2,0,0,21,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "edit", "steps": [{"run": ["sh", "-c", "echo half >>list; [ -e /tmp/devs-golden/trees/agent/mark ] || { touch /tmp/devs-golden/trees/agent/mark; exit 1; }"], "policy": "fast"}]}, {"id": "use", "steps": [{"run": ["sh", "-c", "grep half list"]}], "needs": ["edit"]}], "jobs": 1, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}}, "workspace": "worktree"}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text) VALUES
(1,1,1795354006127,49874719,1,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,'{"by":"root"}'), -- run_started
(1,2,1795354006127,49874719,3,0,0,1,1,1,5393635944087539866,-4423074279354804999,NULL,NULL,NULL,NULL), -- attempt_started
(1,3,1795354006185,49874777,24,0,0,1,1,1,1,46,NULL,NULL,NULL,'{"path":"/tmp/devs-golden/trees/.devs/work/55d7a53f8d3379041f47b3a1a920901f/edit/tree","base":"659a43baed3a59f7e2bf06eed63fd75c353a9c4a","branch":"devs/1/edit","setup_ms":0,"copied":0}'), -- workspace_made
(1,4,1795354006185,49874777,25,0,0,1,1,1,3478501632238444357,-8831916946246953911,1,51,11,NULL), -- workspace_saved
(1,5,1795354006187,49874779,4,0,0,1,1,1,1068,4987477,NULL,NULL,NULL,NULL), -- attempt_running
(1,6,1795354006210,49874802,5,0,0,1,1,1,NULL,1,25,NULL,NULL,'{"cpu":2,"fp":"a441bec270a1f886ec1fcf163596b945","loop":{"raw":4118330637121115162,"bits":1}}'), -- attempt_ended
(1,7,1795354006210,49874802,6,0,0,1,1,1,2,NULL,NULL,NULL,NULL,'{"rule":"default"}'), -- attempt_judged
(1,8,1795354006210,49874802,7,0,0,1,1,1,20,1795354006230,49874822,20,NULL,'{"policy":"fast","n":1,"base":20,"multiplier":2,"cap":30000,"jitter":0,"factor":1,"hint":-1,"used":1,"allowed":4}'), -- wait_started
(1,9,1795354006221,49874813,28,0,0,1,1,1,1,1,NULL,NULL,11,'{"paths":[["A","list"]]}'), -- workspace_changed
(1,10,1795354006231,49874823,8,0,0,1,1,1,NULL,NULL,NULL,NULL,NULL,NULL), -- wait_ended
(1,11,1795354006231,49874823,3,0,0,1,1,2,5393635944087539866,-4423074279354804999,NULL,NULL,NULL,NULL), -- attempt_started
(1,12,1795354006246,49874838,26,0,0,1,1,2,3478501632238444357,-8831916946246953911,1,NULL,4,NULL), -- workspace_reset
(1,13,1795354006253,49874845,4,0,0,1,1,2,1077,4987483,NULL,NULL,NULL,NULL), -- attempt_running
(1,14,1795354006297,49874889,27,0,0,1,1,2,5024577643287076377,42895771333849302,2,56,2,NULL), -- tree_proven
(1,15,1795354006297,49874889,29,0,0,1,1,2,1,NULL,NULL,NULL,NULL,'{"branch":"devs/1/edit","commit":"52e01758b8b5f66da9aed8f278f92446aadf8e83"}'), -- result_kept
(1,16,1795354006253,49874845,5,0,0,1,1,2,NULL,NULL,7,NULL,NULL,'{"fp":"d4817aa5497628e7c77e6b606107042b"}'), -- attempt_ended
(1,17,1795354006253,49874845,9,0,0,1,1,2,NULL,2,NULL,NULL,NULL,NULL), -- step_ended
(1,18,1795354006253,49874845,3,1,0,1,1,1,-1606884869656218536,8331941903437425150,NULL,NULL,NULL,NULL), -- attempt_started
(1,19,1795354006336,49874928,24,1,0,1,1,1,1,31,NULL,NULL,NULL,'{"path":"/tmp/devs-golden/trees/.devs/work/55d7a53f8d3379041f47b3a1a920901f/use/tree","base":"52e01758b8b5f66da9aed8f278f92446aadf8e83","branch":"devs/1/use","setup_ms":0,"copied":0}'), -- workspace_made
(1,20,1795354006336,49874928,25,1,0,1,1,1,5024577643287076377,42895771333849302,2,56,5,NULL), -- workspace_saved
(1,21,1795354006345,49874937,4,1,0,1,1,1,1106,4987492,NULL,NULL,NULL,NULL), -- attempt_running
(1,22,1795354006363,49874955,27,1,0,1,1,1,5024577643287076377,42895771333849302,2,56,1,NULL), -- tree_proven
(1,23,1795354006363,49874955,29,1,0,1,1,1,1,NULL,NULL,NULL,NULL,'{"branch":"devs/1/use","commit":"52e01758b8b5f66da9aed8f278f92446aadf8e83"}'), -- result_kept
(1,24,1795354006350,49874942,5,1,0,1,1,1,NULL,NULL,14,5,NULL,'{"cpu":2,"out_lines":1,"fp":"35b720206bea41e48b14aa45ae8f332b","new":1000}'), -- attempt_ended
(1,25,1795354006350,49874942,9,1,0,1,1,1,NULL,1,NULL,NULL,NULL,NULL), -- step_ended
(1,26,1795354006350,49874942,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL); -- run_ended
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,1,0,1,1,0,0,0,1795354006350,CAST('half'||char(10)||'' AS BLOB));
