import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export interface User {
  uid: number
  gid: number
  name: string
}

/** Looks a user up by name or number. Undefined too where a system keeps its users elsewhere than in /etc/passwd. */
export function findUser(nameOrUid: string | number): User | undefined {
  let lines: string[]
  try {
    lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  } catch {
    return undefined
  }
  for (const line of lines) {
    const [name, , uid, gid] = line.split(':')
    if (name !== nameOrUid && uid !== String(nameOrUid)) continue
    // macOS gives nobody the number -2, which spawn and chown do not take.
    if (/^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? '')) return { name: name!, uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}

export function ownerOf(path: string): User {
  const { uid, gid } = statSync(path)
  return { uid, gid, name: findUser(uid)?.name ?? String(uid) }
}

/** Whether the mode bits let a user without privileges enter a folder (or execute a file) and every folder above it. */
export function canReach(user: { uid: number; gid: number }, path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at)
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
    if (((mode >> shift) & 1) === 0) return false
    if (at === dirname(at)) return true
  }
}
