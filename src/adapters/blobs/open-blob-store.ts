import { join } from 'node:path'
import type { Config } from '../../platform/settings/config.ts'
import type { BlobStore } from './blob-store.ts'
import { FileBlobStore } from './file-blob-store.ts'

/** The blob store of the settings. The client of S3 is a megabyte of program, which only those load who have a bucket. */
export async function openBlobStore({ S3_URL, DATA_DIR }: Config): Promise<BlobStore> {
  if (!S3_URL) return new FileBlobStore(join(DATA_DIR, 'blobs'))
  const { origin, pathname, username, password, searchParams } = new URL(S3_URL)
  const { S3BlobStore } = await import('./s3-blob-store.ts')
  return new S3BlobStore({
    endpoint: origin,
    bucket: pathname.replace(/^\/|\/$/g, ''),
    region: searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
  })
}
