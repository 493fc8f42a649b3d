import type { Host } from './destination.ts'
import type { Dialogue } from './dialogue.ts'
import { describeError, type Failure, nameOf } from './failure.ts'

type Auth = NonNullable<Host['auth']>

/**
 * Null when the host let us in. Whatever it says, mail waits: a wrong password is the operator's slip and not the recipient's
 * fault.
 */
export function logIn(host: Host, auth: Auth, dialogue: Dialogue, timeoutMs: number): Promise<Failure | null> {
  return new Promise((resolve) => {
    const finish = (problem: string | null) => {
      clearTimeout(timer)
      resolve(problem === null ? null : refusal(host, withoutSecrets(problem, auth)))
    }
    const timer = setTimeout(() => finish('no answer in time'), timeoutMs)
    dialogue.once('end', () => setImmediate(finish, 'the connection was closed'))
    dialogue.login({ user: auth.user, pass: auth.pass }, (error) =>
      finish(error ? (error.response ?? describeError(error)) : null),
    )
  })
}

function refusal(host: Host, text: string): Failure {
  const reply = `454 4.7.0 ${nameOf(host)} refused the login: ${text}`
  return { kind: 'failed', host: host.host, at: 'login', reply, serverReply: null }
}

/** Servers have been seen to repeat what they were sent. */
function withoutSecrets(text: string, { user, pass }: Auth): string {
  const secrets = [`\0${user}\0${pass}`, pass].flatMap((secret) => [Buffer.from(secret).toString('base64'), secret])
  return secrets.filter((secret) => secret !== '').reduce((clean, secret) => clean.replaceAll(secret, '…'), text)
}
