-- Tasks in worktrees of a repository: saved, put back, proven and kept.
INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled, waited_ms, expired) VALUES
(1,'55d7a53f8d3379041f47b3a1a920901f','plan','plan','/tmp/devs-golden/trees','devs run --plain plan.json','ffcf53e9511a7c5ef158e2e865fe027d30ef2dfd62e1df022e67064e0812a56e','4e5e9fd3-12c0-44b4-a399-8d0587e26da2','0.1.0',2742076254815042715,1,2,1024,4987456,1795354006126,1795354006350,0,26,1795354006350,3,2,0,0,21,0);
INSERT INTO plan(run, text) VALUES
(1,'{"version": 1, "idempotent": true, "tasks": [{"id": "edit", "steps": [{"run": ["sh", "-c", "echo half >>list; [ -e /tmp/devs-golden/trees/agent/mark ] || { touch /tmp/devs-golden/trees/agent/mark; exit 1; }"], "policy": "fast"}]}, {"id": "use", "steps": [{"run": ["sh", "-c", "grep half list"]}], "needs": ["edit"]}], "jobs": 1, "policies": {"fast": {"like": "default", "max_attempts": 4, "base_delay_ms": 20}, "soon": {"like": "transport", "base_delay_ms": 20, "cap_ms": 200}}, "workspace": "worktree"}');
INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data) VALUES
(1,1,1795354006127,49874719,'run_started',NULL,NULL,NULL,NULL,NULL,NULL,'{"jobs":1,"by":"root"}'),
(1,2,1795354006127,49874719,'attempt_started','edit',0,0,1,1,1,'{"call":"4ada0b507f1dd09ac29e15609be3d4f9"}'),
(1,3,1795354006185,49874777,'workspace_made','edit',0,0,1,1,1,'{"workspace":"worktree","ms":46,"path":"/tmp/devs-golden/trees/.devs/work/55d7a53f8d3379041f47b3a1a920901f/edit/tree","base":"659a43baed3a59f7e2bf06eed63fd75c353a9c4a","branch":"devs/1/edit"}'),
(1,4,1795354006185,49874777,'workspace_saved','edit',0,0,1,1,1,'{"tree":"30461ecdfc305f45856eba54b5329449","files":1,"bytes":51,"ms":11}'),
(1,5,1795354006187,49874779,'attempt_running','edit',0,0,1,1,1,'{"pid":1068,"pid_start":4987477}'),
(1,6,1795354006210,49874802,'attempt_ended','edit',0,0,1,1,1,'{"outcome":"exit","code":1,"ran_ms":25,"out_bytes":0,"err_bytes":0,"cpu_ms":2,"fingerprint":"a441bec270a1f886ec1fcf163596b945","loop":{"raw":4118330637121115162,"bits":1}}'),
(1,7,1795354006210,49874802,'attempt_judged','edit',0,0,1,1,1,'{"class":"persistent","rule":"default"}'),
(1,8,1795354006210,49874802,'wait_started','edit',0,0,1,1,1,'{"delay_ms":20,"due_at_ms":1795354006230,"due_mono_ms":49874822,"exact_ms":20,"retry_number":1,"policy":"fast","base_ms":20,"multiplier":2,"cap_ms":30000,"jitter":0,"used":1,"allowed":4}'),
(1,9,1795354006221,49874813,'workspace_changed','edit',0,0,1,1,1,'{"paths":1,"added":1,"removed":0,"ms":11,"changed":["A list"]}'),
(1,10,1795354006231,49874823,'wait_ended','edit',0,0,1,1,1,'{}'),
(1,11,1795354006231,49874823,'attempt_started','edit',0,0,1,1,2,'{"call":"4ada0b507f1dd09ac29e15609be3d4f9"}'),
(1,12,1795354006246,49874838,'workspace_reset','edit',0,0,1,1,2,'{"tree":"30461ecdfc305f45856eba54b5329449","paths":1,"bytes":0,"ms":4}'),
(1,13,1795354006253,49874845,'attempt_running','edit',0,0,1,1,2,'{"pid":1077,"pid_start":4987483}'),
(1,14,1795354006297,49874889,'tree_proven','edit',0,0,1,1,2,'{"tree":"45bae2bec67ede190098657a0cb870d6","files":2,"bytes":56,"ms":2}'),
(1,15,1795354006297,49874889,'result_kept','edit',0,0,1,1,2,'{"branch":"devs/1/edit","commit":"52e01758b8b5f66da9aed8f278f92446aadf8e83"}'),
(1,16,1795354006253,49874845,'attempt_ended','edit',0,0,1,1,2,'{"outcome":"exit","code":0,"ran_ms":7,"out_bytes":0,"err_bytes":0,"fingerprint":"d4817aa5497628e7c77e6b606107042b"}'),
(1,17,1795354006253,49874845,'step_ended','edit',0,0,1,1,2,'{"decision":"succeeded","attempts":2}'),
(1,18,1795354006253,49874845,'attempt_started','use',1,0,1,1,1,'{"call":"e9b332b98530f45873a10104439469fe"}'),
(1,19,1795354006336,49874928,'workspace_made','use',1,0,1,1,1,'{"workspace":"worktree","ms":31,"path":"/tmp/devs-golden/trees/.devs/work/55d7a53f8d3379041f47b3a1a920901f/use/tree","base":"52e01758b8b5f66da9aed8f278f92446aadf8e83","branch":"devs/1/use"}'),
(1,20,1795354006336,49874928,'workspace_saved','use',1,0,1,1,1,'{"tree":"45bae2bec67ede190098657a0cb870d6","files":2,"bytes":56,"ms":5}'),
(1,21,1795354006345,49874937,'attempt_running','use',1,0,1,1,1,'{"pid":1106,"pid_start":4987492}'),
(1,22,1795354006363,49874955,'tree_proven','use',1,0,1,1,1,'{"tree":"45bae2bec67ede190098657a0cb870d6","files":2,"bytes":56,"ms":1}'),
(1,23,1795354006363,49874955,'result_kept','use',1,0,1,1,1,'{"branch":"devs/1/use","commit":"52e01758b8b5f66da9aed8f278f92446aadf8e83"}'),
(1,24,1795354006350,49874942,'attempt_ended','use',1,0,1,1,1,'{"outcome":"exit","code":0,"ran_ms":14,"out_bytes":5,"err_bytes":0,"out_lines":1,"cpu_ms":2,"fingerprint":"35b720206bea41e48b14aa45ae8f332b","new_permille":1000}'),
(1,25,1795354006350,49874942,'step_ended','use',1,0,1,1,1,'{"decision":"succeeded","attempts":1}'),
(1,26,1795354006350,49874942,'run_ended',NULL,NULL,NULL,NULL,NULL,NULL,'{"exit_code":0}');
INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes) VALUES
(1,1,1,0,1,1,0,0,0,1795354006350,CAST('half'||char(10)||'' AS BLOB));
