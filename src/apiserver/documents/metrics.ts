import type { Metrics } from '#apiserver/metrics.ts'
import { sendText } from '#apiserver/respond.ts'
import type { Document } from './document.ts'

/** All of them, or those named by `name[]`: what is looked at every second should not cost milliseconds. */
export const metricsDocument = (metrics: Metrics): Document => ({
  methods: ['GET'],
  serve: async ({ response, query }) => {
    const { text, type } = await metrics.expose(query.all('name[]'))
    sendText(response, 200, text, type)
  },
})
