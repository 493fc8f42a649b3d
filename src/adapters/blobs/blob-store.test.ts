import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startS3Server } from '../../../test/harness/s3-server.ts'
import type { BlobStore } from './blob-store.ts'
import { FileBlobStore } from './file-blob-store.ts'
import { S3BlobStore } from './s3-blob-store.ts'

async function freshFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'postwren-blobs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function startS3() {
  const server = await startS3Server()
  const store = new S3BlobStore({ ...server.options, firstRetryMs: 1 })
  onTestFinished(() => store.close())
  return { server, store }
}

const IMPLEMENTATIONS: Record<string, () => Promise<BlobStore>> = {
  files: async () => new FileBlobStore(join(await freshFolder(), 'not', 'there', 'yet')),
  s3: async () => (await startS3()).store,
}

// What every blob store must do. A third one is tested by adding it above.
describe.each(Object.entries(IMPLEMENTATIONS))('blobs in %s', (_name, start) => {
  test('what was put can be read back, byte by byte', async () => {
    const store = await start()
    const contents = [Buffer.alloc(0), Buffer.from('Grüße\r\n.\r\n'), randomBytes(300_000)]

    for (const [index, content] of contents.entries()) await store.put(`raw/blob-${index}`, content)

    for (const [index, content] of contents.entries()) {
      expect((await store.get(`raw/blob-${index}`))?.equals(content)).toBe(true)
      expect((await buffer((await store.open(`raw/blob-${index}`))!)).equals(content)).toBe(true)
    }
  })

  test('what was never put is not there', async () => {
    const store = await start()

    expect(await store.get('raw/nothing')).toBe(null)
    expect(await store.open('raw/nothing')).toBe(null)
  })

  test('a second put replaces the first', async () => {
    const store = await start()
    await store.put('a', Buffer.from('long and old'))
    await store.put('a', Buffer.from('new'))

    expect(String(await store.get('a'))).toBe('new')
  })

  test('what was removed is gone, and removing it again is fine', async () => {
    const store = await start()
    await store.put('a', Buffer.from('a'))

    await store.remove('a')
    await store.remove('a')

    expect(await store.get('a')).toBe(null)
  })

  test('keys that look alike are different keys', async () => {
    const store = await start()
    const keys = ['a', 'a/b', 'a-b', 'a/b/c', 'ab']

    await Promise.all(keys.map((key) => store.put(key, Buffer.from(key))))

    for (const key of keys) expect(String(await store.get(key))).toBe(key)
  })

  test('many puts at once, also under one key, leave whole blobs', async () => {
    const store = await start()
    const contents = Array.from({ length: 10 }, (_, index) => Buffer.alloc(20_000, index))

    await Promise.all(contents.map((content) => store.put('same', content)))

    const left = await store.get('same')
    expect(contents.some((content) => content.equals(left!))).toBe(true)
  })

  test.each(['', '..', '../etc/passwd', '/a', 'a/', 'a//b', 'A', 'a.b', 'a_b', 'a b', 'a\0', 'ä', 'x'.repeat(201)])(
    'the key %j is refused',
    async (key) => {
      const store = await start()

      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow('Not a key')
      await expect(store.get(key)).rejects.toThrow('Not a key')
      await expect(store.open(key)).rejects.toThrow('Not a key')
      await expect(store.remove(key)).rejects.toThrow('Not a key')
    },
  )
})

test('files: nothing half-written stays behind, neither after a put nor after one that failed', async () => {
  const folder = await freshFolder()
  const store = new FileBlobStore(folder)
  await store.put('raw/one', Buffer.from('one'))

  await expect(store.put('raw/two', 3 as unknown as Buffer)).rejects.toThrow()

  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name).sort()).toEqual(['raw_one'])
})

test('files: removing a blob also removes what a crash has left of writing it, and nothing of others', async () => {
  const folder = await freshFolder()
  const store = new FileBlobStore(folder)
  const files = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  for (const key of ['raw/one', 'raw/one-more']) await store.put(key, Buffer.from(key))
  for (const { parentPath, name } of await files())
    await writeFile(join(parentPath, `${name}.0190e6a4-4a5c-7000-8000-000000000000.tmp`), 'half')

  await store.remove('raw/one')

  expect((await files()).map(({ name }) => name.split('.')[0])).toEqual(['raw_one-more', 'raw_one-more'])
})

test('s3: a store that stumbles is asked again', async () => {
  const { server, store } = await startS3()
  server.fault(500, 'drop', 503, 'slow')
  await store.put('a', Buffer.from('content'))
  expect(server.requests).toHaveLength(4)

  server.fault('drop_in_body', 500)
  expect(String(await store.get('a'))).toBe('content')
  server.fault('drop')
  expect(String(await buffer((await store.open('a'))!))).toBe('content')
  server.fault(503)
  await store.remove('a')
  expect(server.objects.size).toBe(0)
})

test('s3: after four tries it gives up, and says what it was told', async () => {
  const { server, store } = await startS3()
  server.fault(500, 500, 500, 500)

  await expect(store.put('a', Buffer.from('x'))).rejects.toThrow('The blob store answered 500 InternalError to PUT a')
  expect(server.requests).toHaveLength(4)
})

test('s3: a store that does not answer is not waited for', async () => {
  const { server } = await startS3()
  const store = new S3BlobStore({ ...server.options, timeoutMs: 50, tries: 1 })
  onTestFinished(() => store.close())
  server.fault('silence')

  await expect(store.get('a')).rejects.toThrow()
})

test('s3: a wrong key and a missing bucket are told at once, without the secret', async () => {
  const { server } = await startS3()
  const wrongSecret = new S3BlobStore({ ...server.options, secretAccessKey: 'wrong' })
  const wrongBucket = new S3BlobStore({ ...server.options, bucket: 'elsewhere' })
  onTestFinished(() => wrongSecret.close())
  onTestFinished(() => wrongBucket.close())

  await expect(wrongSecret.put('a', Buffer.from('x'))).rejects.toThrow(
    'The blob store answered 403 SignatureDoesNotMatch to PUT a',
  )
  await expect(wrongBucket.get('a')).rejects.toThrow('The bucket of the blob store does not exist')
  expect(server.requests).toHaveLength(2)
})

test('files and their folders can be read by nobody else', async () => {
  const folder = join(await freshFolder(), 'blobs')

  await new FileBlobStore(folder).put('raw/one', Buffer.from('secret'))

  const names = await readdir(folder, { recursive: true })
  const modes = await Promise.all(['.', ...names].map(async (name) => (await stat(join(folder, name))).mode & 0o777))
  expect(modes).toEqual([0o700, 0o700, 0o600])
})
