import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { PRIVATE_FILE } from './settings/data-folder.ts'

/** A new file of our own. When this returns it is on the disk; its name may not be: whoever gives it its final one flushes the folder. */
export async function writeDurably(path: string, content: Buffer) {
  const file = await open(path, 'wx', PRIVATE_FILE)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The same for what a process needs before it starts. What a process of the same name left there is replaced. */
export function writeDurablySync(path: string, text: string) {
  rmSync(path, { force: true })
  const descriptor = openSync(path, 'wx', PRIVATE_FILE)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
