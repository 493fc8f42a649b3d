import type { Attack } from './attack.ts'
import { fill, post, repeat } from './requests.ts'

/** Without a key: 64 MB of fields of a form, which once blocked `/health` for half a minute. */
export const attack: Attack = {
  name: 'frame',
  run: ({ url }, signal) =>
    repeat(signal, 8, () =>
      post(`${url}/dashboard/frame`, { type: 'application/x-www-form-urlencoded', signal }, fill('a&', 64_000_000)),
    ),
}
