import { existsSync } from 'node:fs'

/** Where a browser is, if there is one: Debian's package, or what the system calls it. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
