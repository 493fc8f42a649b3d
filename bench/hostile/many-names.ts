import type { Attack } from './attack.ts'
import { post, repeat } from './requests.ts'

const NAMES = 95_000

/** One megabyte with as many different names of fields as there are values allowed, which once took a second. */
export const attack: Attack = {
  name: 'many names',
  async run({ url, token }, signal) {
    const fields = Array.from({ length: NAMES }, (_, n) => `"k${n}":1`)
    const body = `{"from":"a@attacker.dev","to":"b@attacker.dev","subject":"x","text":"x",${fields.join()}}`
    await repeat(signal, 8, () => post(`${url}/emails`, { token, signal }, [body]))
  },
}
