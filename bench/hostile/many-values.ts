import type { Attack } from './attack.ts'
import { fill, post, repeat } from './requests.ts'

/** 143 MB of empty objects, which once blocked the process for minutes. */
export const attack: Attack = {
  name: 'many values',
  run: ({ url, token }, signal) =>
    repeat(signal, 4, () => post(`${url}/emails`, { token, signal }, ['{"tags":[', ...fill('{},', 143_000_000)])),
}
