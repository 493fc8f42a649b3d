import type { Static } from 'typebox'
import { found } from '../../../kernel/http/problem.ts'
import { findRow } from '../../../kernel/http/rows.ts'
import { IdParams, reference } from '../../../kernel/http/shapes.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { newId } from '../../../platform/ids.ts'
import { endpoint, list } from '../../definitions.ts'
import { importContacts } from './jobs.ts'
import { makePlan, readForm } from './plan.ts'
import { contactImportRows, deletePieces, insertImport, insertPiece, PIECE_BYTES } from './queries.ts'
import { importErrorRows, MAX_KEPT_ERRORS } from './row-errors.ts'
import { ContactImport, ContactImportReference, ImportError, ImportFilter, ImportUpload } from './schema.ts'
import { receiveUpload } from './upload.ts'

export const contactImportEndpoints = [
  endpoint({
    id: 'contacts.imports.create',
    route: 'POST /contacts/imports',
    summary: 'Import contacts from a CSV file',
    status: 201,
    upload: { fields: ImportUpload },
    reply: ContactImportReference,
    async run({ raw, services: { db, config }, actor: { team } }) {
      const id = newId(db.clock.of(team))
      // What is only on its way in is no change yet that the audit log would tell of.
      const unaudited = await db.forTeam(team)
      let start: Buffer = Buffer.alloc(0)
      let position = 0
      try {
        const fields = await receiveUpload(raw, {
          maxBytes: config.IMPORT_LIMIT_MB * 1024 * 1024,
          pieceBytes: PIECE_BYTES,
          async keep(piece) {
            if (position === 0) start = piece
            await insertPiece(unaudited, team, { id, position: position++, content: piece })
          },
        })
        const form = readForm(fields)
        await db.transaction(async (trx) => {
          const { plan, firstRecord } = await makePlan(trx, team, form, start)
          await insertImport(trx, team, { id, plan, readTo: firstRecord })
          await enqueue(trx, importContacts, { team, importId: id })
          return id
        })
      } catch (error) {
        await deletePieces(unaudited, team, id)
        throw error
      }
      return reference('contact_import', id)
    },
  }),
  list({
    id: 'contacts.imports.list',
    route: 'GET /contacts/imports',
    summary: 'List contact imports',
    query: ImportFilter,
    item: ContactImport,
    unlimited: 10,
    rows: ({ query, actor }) => contactImportRows(actor.team, query),
  }),
  endpoint({
    id: 'contacts.imports.get',
    route: 'GET /contacts/imports/:id',
    summary: 'Retrieve a contact import',
    params: IdParams,
    reply: ContactImport,
    async run({ params, services: { db }, actor: { team } }) {
      return found(
        await findRow<Static<typeof ContactImport>>(db, contactImportRows(team), params.id),
        'Contact import',
      )
    },
  }),
  list({
    id: 'contacts.imports.errors.list',
    route: 'GET /contacts/imports/:id/errors',
    summary: 'List the failed rows of a contact import',
    description: `The first ${MAX_KEPT_ERRORS.toLocaleString('en-US')} rows that failed, in the order of the file. Kept for 30 days.`,
    params: IdParams,
    item: ImportError,
    unlimited: 100,
    async rows({ params, services: { db }, actor: { team } }) {
      found(await findRow(db, contactImportRows(team), params.id), 'Contact import')
      return importErrorRows(team, params.id)
    },
  }),
]
