import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PRIVATE_FILE, PRIVATE_FOLDER } from './settings/data-folder.ts'

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

/** A folder of our own, with those above it. When this returns they are on the disk. */
export async function makeDurableFolder(folder: string) {
  const topmost = (await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })) ?? folder
  // The entry of a folder is in its parent. The last parent is flushed even if nothing was made: perhaps a crash came before.
  for (let child = folder; child.length >= topmost.length; child = dirname(child)) await flushFolder(dirname(child))
}

/** The names in it are on the disk. */
export async function flushFolder(folder: string) {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
