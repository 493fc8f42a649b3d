import type { Attack } from './attack.ts'
import { fill, post, repeat } from './requests.ts'

const HEAD =
  '{"from":"a@attacker.dev","to":"b@attacker.dev","subject":"x","html":"x","attachments":[{"filename":"a.bin","content":"'

/** As many attachments of 39 MB as there are connections: all of them legal. */
export const attack: Attack = {
  name: 'large bodies',
  run: ({ url, token }, signal) =>
    repeat(signal, 20, () => post(`${url}/emails`, { token, signal }, [HEAD, ...fill('QUJD', 39_000_000), '"}]}'])),
}
