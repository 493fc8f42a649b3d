// `postwren/testing`: a Postwren for tests, and a sandbox for each of them. Node's own modules only, and one build for `import` and
// `require`, so that there is one of it in a process.
export type { Clock } from './clock.ts'
export { PostwrenError } from './http.ts'
export type { Inbox } from './inbox.ts'
export type { Message } from './message.ts'
export { type Sandbox, type SandboxOptions, type Scenario, sandbox } from './sandbox.ts'
export { type Postwren, type StartOptions, startPostwren } from './server.ts'
export type * from './types.ts'
