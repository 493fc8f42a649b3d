import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { DkimSigner } from '../dkim.ts'
import type { Attachment, Message, Stamp } from '../message.ts'

/** `NAME.json`: only what matters to the case, the rest is filled in. */
export interface GoldenCase {
  /** What would be wrong if the bytes were others. */
  readonly about: string
  readonly message: Partial<Omit<Message, 'attachments'>> & { readonly attachments?: readonly GoldenFile[] }
  readonly stamp?: Partial<Omit<Stamp, 'date'>> & { readonly date?: string }
}

type GoldenFile = Partial<Omit<Attachment, 'content'>> & ({ readonly text: string } | { readonly base64: string })

export function messageOf({ message }: GoldenCase): Message {
  return {
    from: { name: 'Ada Lovelace', address: 'ada@example.com' },
    to: [{ name: null, address: 'grace@example.org' }],
    cc: [],
    replyTo: [],
    subject: 'Hello',
    html: null,
    text: null,
    headers: [],
    ...message,
    attachments: (message.attachments ?? []).map((file) => ({
      filename: file.filename ?? null,
      contentType: file.contentType ?? 'application/octet-stream',
      contentId: file.contentId ?? null,
      content: 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64'),
    })),
  }
}

export function stampOf({ stamp }: GoldenCase): Stamp {
  return {
    messageId: stamp?.messageId ?? '<0197c3a0-5b1e-7c44-9d2f-3a6b8c9d0e1f@example.com>',
    date: new Date(stamp?.date ?? '2025-07-01T12:00:00Z'),
    seed: stamp?.seed ?? '0197c3a05b1e7c449d2f3a6b8c9d0e1f',
  }
}

const keyNamed = (name: string) => createPrivateKey(readFileSync(new URL(`keys/${name}.pem`, import.meta.url)))

/** Keys that sign nothing but tests; both ways of signing always give the same bytes. */
export const RSA: DkimSigner = { domain: 'example.com', selector: 'rsa', key: keyNamed('rsa') }
export const ED25519: DkimSigner = { domain: 'example.com', selector: 'ed', key: keyNamed('ed25519') }
