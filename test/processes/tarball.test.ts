import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Resend } from 'resend'
import { beforeAll, describe, expect, test } from 'vitest'
import { findUser } from '../../src/adapters/postgres/users.ts'
import { CHECKOUT } from '../harness/program.ts'
import { Service, temporaryFolder } from '../harness/service.ts'
import { hasTool } from '../harness/tools.ts'

// For machines that have no Node: the program with Node inside, as a tarball and as a Debian package.

const nobody = process.getuid?.() === 0 ? findUser('nobody') : undefined
const user = nobody && { uid: nobody.uid, gid: nobody.gid }
const hasDpkg = hasTool('dpkg-deb', ['--version'], 'The Debian package is not tested')

describe.skipIf(process.platform !== 'linux')('packages with Node inside', () => {
  const folder = temporaryFolder({ lifetime: 'file' })
  let tarball: string
  let deb: string | undefined

  beforeAll(() => {
    const kinds = hasDpkg ? ['tarball', 'deb'] : ['tarball']
    const words = [join(CHECKOUT, 'scripts/package.mjs'), '--to', folder, '--level', '1', ...kinds]
    const printed = execFileSync(process.execPath, words, { cwd: CHECKOUT, encoding: 'utf8' })
    ;[tarball = '', deb] = printed
      .trim()
      .split('\n')
      .filter((line) => line.startsWith(folder))
  }, 300_000)

  test('the tarball runs where there is no Node, sends, and stops cleanly', async () => {
    const place = join(folder, 'opt')
    execFileSync('mkdir', ['-p', place])
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', place])
    if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
    const settings = { PATH: '/usr/bin:/bin', HOME: folder }
    const service = await Service.start({
      ...{ command: [join(place, 'postwren')], cwd: folder, dataDir: join(folder, 'data'), settings },
      ...(user && { user }),
    })

    const email = { from: 'me@example.com', to: 'delivered@resend.dev', subject: 'Hello', html: '<p>It works.</p>' }
    const { error } = await new Resend(service.token, { baseUrl: service.url }).emails.send(email)

    expect(error).toBeNull()
    expect(await service.stop()).toBe(0)
  })

  test('it says which version it is, also through a link', () => {
    const link = join(folder, 'a-link')
    execFileSync('ln', ['-s', join(folder, 'opt/postwren'), link])
    const { stdout } = spawnSync(link, ['--version'], { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' })

    expect(stdout).toMatch(/^\d+\.\d+\.\d+/)
    expect(readdirSync(join(folder, 'opt'))).toEqual(expect.arrayContaining(['LICENSE', 'node', 'postwren', 'systemd']))
  })

  test.skipIf(!hasDpkg)('the Debian package has the program, the unit, its settings and nothing of others', () => {
    const list = execFileSync('dpkg-deb', ['--contents', deb!], { encoding: 'utf8' })
    const info = execFileSync('dpkg-deb', ['--info', deb!], { encoding: 'utf8' })

    for (const path of ['./usr/bin/postwren', './lib/systemd/system/postwren.service', './etc/postwren/postwren.conf'])
      expect(list).toContain(` ${path}`)
    expect(list.split('\n').filter((line) => line && !/ root\/root /.test(line))).toEqual([])
    expect(info).toContain('Package: postwren')
    expect(info).toContain('conffiles')
  })
})
