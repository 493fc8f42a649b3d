import type { Resend } from 'resend'
import type { Service } from '../../harness/service.ts'

/** What the tests of each resource share: one running service, and the SDK with keys of full access. */
export interface SdkContext {
  readonly resend: Resend
  readonly service: Service
  /** Of another team. */
  readonly neighbour: Resend
}

let number = 0

/** An address that no other test uses. */
export const freshAddress = (name: string) => `${name}${++number}@example.com`

/** A well-formed id of nothing. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'

export const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00$/
