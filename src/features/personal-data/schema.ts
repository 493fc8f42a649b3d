import Type from 'typebox'
import { deletedOf, Email, Id, nullable, oneOf, Timestamp } from '../../kernel/http/shapes.ts'

export const DeletedEmail = deletedOf('email')

export const PERSONAL_DATA_ACTIONS = ['report', 'export', 'erase'] as const

export const RequestPersonalData = Type.Object(
  { address: Email, action: oneOf(PERSONAL_DATA_ACTIONS) },
  { title: 'RequestPersonalData' },
)

const Count = Type.Optional(Type.Integer())

export const PersonalDataRequest = Type.Object(
  {
    object: Type.Literal('personal_data_request'),
    id: Id,
    action: oneOf(PERSONAL_DATA_ACTIONS),
    status: oneOf(['queued', 'running', 'completed', 'failed']),
    digest: Type.String({ description: 'Keyed digest of the address: all that is kept of it.' }),
    rows_searched: Type.Integer(),
    counts: Type.Record(
      Type.String(),
      Type.Object({ found: Count, deleted: Count, redacted: Count, files: Count, pending: Count }),
      { description: 'Rows by kind, and what was done with them.' },
    ),
    created_at: Timestamp,
    completed_at: nullable(Timestamp),
  },
  { title: 'PersonalDataRequest' },
)

export const PersonalData = Type.Object(
  {
    object: Type.Literal('personal_data'),
    data: Type.Array(Type.Object({ table: Type.String(), row: Type.Record(Type.String(), Type.Unknown()) })),
  },
  { title: 'PersonalData' },
)
