import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder, tightenDataFolder } from './data-folder.ts'

const isRoot = process.getuid?.() === 0
const modeOf = (path: string) => statSync(path).mode & 0o777

function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  return folder
}

function openFolder(folder: string, name: string) {
  mkdirSync(join(folder, name))
  chmodSync(join(folder, name), 0o755)
  return join(folder, name)
}

test('a new data folder can be read by nobody else', () => {
  const folder = join(scratch(), 'data')

  openDataFolder(folder)

  expect(modeOf(folder)).toBe(isRoot ? 0o711 : 0o700)
})

test('what an earlier version has left open is closed', () => {
  const folder = scratch()
  const blobs = openFolder(folder, 'blobs')
  writeFileSync(join(folder, 'secret-key'), 'x', { mode: 0o644 })

  tightenDataFolder(folder)

  expect([folder, blobs, join(folder, 'secret-key')].map(modeOf)).toEqual([0o700, 0o700, 0o600])
})

test.runIf(isRoot)('the user of the embedded server gets through, and reads nothing', () => {
  const folder = scratch()
  openFolder(folder, 'postgres')
  const blobs = openFolder(folder, 'blobs')

  tightenDataFolder(folder)

  expect([folder, blobs].map(modeOf)).toEqual([0o711, 0o700])
})

test('what is closed already is not opened', () => {
  const folder = scratch()
  openFolder(folder, 'postgres')
  chmodSync(folder, 0o500)

  openDataFolder(folder)

  expect(modeOf(folder)).toBe(0o500)
  chmodSync(folder, 0o700)
})

test('a folder that was never ours, and one that blobs points to, stay as they are', () => {
  const [never, used, shared] = [scratch(), scratch(), scratch()]
  symlinkSync(shared, join(used, 'blobs'))

  openDataFolder(never)
  openDataFolder(used)

  expect([never, used, shared].map(modeOf)).toEqual([0o755, 0o700, 0o755])
})
