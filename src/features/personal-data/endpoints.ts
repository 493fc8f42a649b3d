import { JsonText } from '../../kernel/http/endpoint.ts'
import { IdParams } from '../../kernel/http/shapes.ts'
import { deletionAfter, endpoint } from '../definitions.ts'
import {
  presentRequest,
  readExport,
  removeEmail,
  removeReceived,
  requestPersonalData,
  requireRequest,
} from './actions.ts'
import { DeletedEmail, PersonalData, PersonalDataRequest, RequestPersonalData } from './schema.ts'

export const personalDataEndpoints = [
  endpoint({
    id: 'emails.remove',
    route: 'DELETE /emails/:id',
    summary: 'Delete an email',
    description: 'With its content, attachments and events. Metrics keep their counts. A scheduled email is not sent.',
    params: IdParams,
    reply: DeletedEmail,
    run: deletionAfter('email', removeEmail),
  }),
  endpoint({
    id: 'emails.receiving.remove',
    route: 'DELETE /emails/receiving/:id',
    summary: 'Delete a received email',
    description: 'With its content, attachments, events and inbox messages.',
    params: IdParams,
    reply: DeletedEmail,
    run: deletionAfter('email', removeReceived),
  }),
  endpoint({
    id: 'personal-data.request',
    access: 'owner',
    logged: false,
    route: 'POST /personal-data/requests',
    summary: 'Report, export or erase the data of a person',
    description: 'Searches every table, file and search index of the team, in the background.',
    status: 202,
    body: RequestPersonalData,
    reply: PersonalDataRequest,
    run: async ({ body, services, actor }) => presentRequest(await requestPersonalData(services, actor, body)),
  }),
  endpoint({
    id: 'personal-data.get',
    access: 'owner',
    route: 'GET /personal-data/requests/:id',
    summary: 'Retrieve a request for the data of a person',
    params: IdParams,
    reply: PersonalDataRequest,
    run: async ({ params, services, actor }) => presentRequest(await requireRequest(services, actor, params.id)),
  }),
  endpoint({
    id: 'personal-data.download',
    access: 'owner',
    route: 'GET /personal-data/requests/:id/export',
    summary: 'Download the exported data of a person',
    description: 'Kept for a day after the request was completed.',
    params: IdParams,
    reply: PersonalData,
    run: async ({ params, services, actor }) => new JsonText(await readExport(services, actor, params.id)),
  }),
]
