// A Flamenco job type: every task renders a chunk of the frames.
//   cp tools/farm/flamenco-job.js FLAMENCO/scripts/roundel.js     # beside flamenco-manager
//   curl http://MANAGER:8080/api/v3/jobs -H 'Content-Type: application/json' -d '{"name": "snow",
//     "type": "roundel", "priority": 50, "submitter_platform": "linux", "settings": {
//     "scene": "/work/scenes/snow.yaml", "frames": "0-1199", "chunk_size": 50,
//     "output": "/work/out/snow_####.png"}}'
// Change: the settings in that request; here the path of roundel, if it is not in the workers' PATH.
// A task that is run again continues, because of --resume. Flamenco does not tell exit codes apart: up
// to three workers try a failed task. So the task "check" draws the first frame alone. Exit codes 2
// (command line), 3 (scene or data) and 4 (output refused) end it within a second, and the others,
// which depend on it, never start. Mend the cause, then queue "check" again.

const JOB_TYPE = {
  label: "Roundel film",
  settings: [
    {key: "scene", type: "string", subtype: "file_path", required: true, description: "The scene file"},
    {key: "frames", type: "string", required: true, description: "Frames as 0-1199 or 1-10, 20"},
    {key: "chunk_size", type: "int32", default: 50, description: "Number of frames of a task"},
    {key: "output", type: "string", subtype: "file_path", required: true,
     description: "The pictures' names, as /work/out/snow_####.png"},
  ],
};

function compileJob(job) {
  const settings = job.settings;
  function newTask(name, frames) {
    const task = author.Task(name, "misc");
    task.addCommand(author.Command("exec", {
      exe: "roundel",
      args: ["render", settings.scene, "--frames", frames, "-o", settings.output, "--resume",
             "--progress", "plain"],
    }));
    return task;
  }
  const check = newTask("check", frameChunker(settings.frames, 1)[0]);
  job.addTask(check);
  for (const frames of frameChunker(settings.frames, settings.chunk_size)) {
    const task = newTask(`render-${frames}`, frames);
    task.addDependency(check);
    job.addTask(task);
  }
}
