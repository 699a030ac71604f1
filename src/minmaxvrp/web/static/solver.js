/**
 * The life of a job: start, live improvement, stop, and starting again from the present routes after the
 * user has changed something.
 */

import * as api from "./api.js";
import { missing, toInstance } from "./document.js";
import { fromEvent, toSolution } from "./plan.js";
import { repaired } from "./repair.js";

const CALM_MS = 450; // after the last change, before the search starts again

export class Solver {
  /**
   * @param {import("./state.js").Store} store
   * @param {() => {seconds: number, seed: number, then: string, auto: boolean}} options
   * @param {{error: (text: string) => void, say: (text: string) => void, done: () => void}} tell
   */
  constructor(store, options, tell) {
    this.store = store;
    this.options = options;
    this.tell = tell;
    /** @type {{id: string, close: () => void} | null} */
    this.job = null;
    this.run = 0; // counts starts: answers to an earlier one are not heard
    this.began = 0;
    this.timer = 0;
    store.edited.push(() => this.afterEdit());
  }

  /** Seconds since the job began. */
  get elapsed() {
    return this.began ? (performance.now() - this.began) / 1000 : 0;
  }

  async solve() {
    clearTimeout(this.timer);
    const { doc, plan } = this.store.state;
    if (missing(doc)) return;
    this.abandon();
    const run = ++this.run;
    const { seconds, seed, then } = this.options();
    const start = plan && !plan.violations?.length ? repaired(doc, plan) : null;
    this.began = performance.now();
    this.store.set({ solving: true, plan: plan && start ? { ...plan, trace: [] } : plan });
    try {
      const options = {
        seconds, seed, then,
        ...(start ? { start: toSolution(doc, start) } : {}),
      };
      const created = await this.create(doc, options);
      if (run !== this.run) return void api.endJob(created.id).catch(() => {});
      this.listen(created.id, doc, run);
    } catch (error) {
      if (run === this.run) this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Start a job; where the server does not like our repaired start, it begins afresh. */
  async create(doc, options) {
    const instance = toInstance(doc);
    try {
      return await api.createJob(instance, options);
    } catch (error) {
      if (!options.start || !(error instanceof api.ApiError) || error.status !== 422) throw error;
      const { start, ...fresh } = options;
      return api.createJob(instance, fresh);
    }
  }

  listen(id, doc, run) {
    const current = (act) => (data) => run === this.run && act(data);
    const close = api.listen(id, {
      progress: current((event) => this.show(doc, event)),
      result: current((event) => {
        this.show(doc, event);
        this.finish();
      }),
      failed: current((event) => this.fail(event.error ?? "The search failed.")),
      lost: current(() => this.fail("The connection to the server was lost; the plan shown is the best that arrived.")),
    });
    this.job = { id, close };
  }

  /** Show what an event says: a better plan, or how far the search is. */
  show(doc, event) {
    if (this.store.dragged) return; // under the user's hand nothing else moves; the drop starts a new job
    const before = this.store.state.plan;
    const trace = [...(before?.trace ?? [])];
    const last = trace.at(-1);
    const makespan = Math.min(event.makespan ?? Infinity, last?.makespan ?? Infinity);
    // a result counts the seconds of the search alone, progress those since the job began
    trace.push({ seconds: Math.max(event.seconds ?? this.elapsed, last?.seconds ?? 0), makespan });
    let plan = before;
    if (event.routes) plan = fromEvent(doc, event, before);
    else if (before) plan = { ...before, lowerBound: event.lower_bound || before.lowerBound, seconds: event.seconds, iterations: event.iterations };
    if (plan) this.store.set({ plan: { ...plan, trace } });
  }

  /** The user's Stop: the best plan stays. */
  async stop() {
    clearTimeout(this.timer);
    const { job } = this;
    if (!job) {
      this.run++; // still being created: whoever comes back is ended
      this.finish();
      return;
    }
    try {
      await api.endJob(job.id); // the result comes as an event, like any other
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Leave the present job; nobody listens, so the server ends it. */
  abandon() {
    if (!this.job) return;
    this.job.close();
    api.endJob(this.job.id).catch(() => {});
    this.job = null;
  }

  finish() {
    this.job = null;
    this.began = 0;
    this.store.set({ solving: false });
    this.tell.done();
  }

  fail(text) {
    this.run++;
    this.abandon();
    this.began = 0;
    this.store.set({ solving: false });
    this.tell.error(text);
  }

  /** After an edit the running job answers a question nobody asks any more. */
  afterEdit() {
    const { plan, doc, solving } = this.store.state;
    const again = solving || (plan !== null && plan.changed && this.options().auto);
    this.run++;
    this.abandon();
    this.began = 0;
    clearTimeout(this.timer);
    if (solving) this.store.set({ solving: false });
    if (again && plan && !missing(doc)) this.timer = window.setTimeout(() => this.solve(), CALM_MS);
  }
}
