import { expect, test } from 'vitest'
import { startS3Server } from '../../../test/harness/s3-server.ts'
import { S3BlobStore } from '../../adapters/blobs/s3-blob-store.ts'
import { defect, explain } from './refusal.ts'

test('a blob store that is away is no defect of the API, and one that refuses us is', async () => {
  const server = await startS3Server()
  const store = new S3BlobStore({ ...server.options, tries: 2, firstRetryMs: 1 })
  const stranger = new S3BlobStore({ ...server.options, secretAccessKey: 'wrong', tries: 2, firstRetryMs: 1 })
  server.fault(500, 503)

  const away = await store.put('a', Buffer.from('x')).catch((error) => explain(error, 0))
  const refused = await stranger.put('a', Buffer.from('x')).catch((error) => explain(error, 0))
  await store.close()
  await stranger.close()

  expect(away).toMatchObject({ status: 503, kind: 'service_unavailable' })
  expect(refused).toBeNull()
})

test('a defect does not say that nothing was done: it may come after a commit', () => {
  expect(defect().message).toContain('may have been carried out')
  expect(defect().message).not.toContain('not carried out')
})
