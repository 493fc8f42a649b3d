import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { PLUG_INS } from './harness/plug-ins.ts'

const TSC = resolve('node_modules/.bin/tsc')

/** The sources without their tests, in a folder of their own that has what they import. */
function copySources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-plug-ins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync('src', join(folder, 'src'), { recursive: true, filter: (file) => !/\.test\.ts$|\/golden$/.test(file) })
  cpSync('package.json', join(folder, 'package.json'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  return folder
}

/** Its import, and its name in the list. */
function takeOut(file: string, name: string) {
  const text = readFileSync(file, 'utf8')
  const without = text
    .replace(new RegExp(`^import \\{ ${name} \\} .*\\n`, 'm'), '')
    .replace(new RegExp(`\\b${name}\\b,?`), '')
  expect(without).not.toContain(name)
  writeFileSync(file, without)
}

test('the program compiles without its plug-ins', async () => {
  const folder = copySources()
  for (const plugIn of PLUG_INS) {
    rmSync(join(folder, 'src', plugIn.folder), { recursive: true })
    takeOut(join(folder, 'src', plugIn.list), plugIn.name)
  }

  const errors = await promisify(execFile)(TSC, ['--noEmit', '--singleThreaded'], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )

  expect(errors).toBe('')
})
