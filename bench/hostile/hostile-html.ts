import type { Attack } from './attack.ts'
import { call, repeat } from './requests.ts'

const KINDS = ['<div>', '<a href="https://a.dev/x">x</a>', '<li>', '<', '<p>word word</p>', '\n', '&amp;']

/** Html that takes long to be made into text, to be tracked and to be encoded. */
export const attack: Attack = {
  name: 'hostile html',
  async run(target, signal) {
    let turn = 0
    await repeat(signal, 4, () => {
      const kind = KINDS[turn++ % KINDS.length]!
      const html = kind.repeat(Math.floor(3_000_000 / kind.length))
      const email = { from: 'a@attacker.dev', to: 'b@attacker.dev', subject: 'x', html }
      return call(target, 'POST', '/emails', email, signal).then((sent) =>
        call(target, 'GET', `/emails/${sent.id}/source`, null, signal),
      )
    })
  },
}
