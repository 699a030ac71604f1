/** The server's HTTP API (docs/api-http.md). Addresses are relative, so that a proxy may add a prefix. */

/** What the server answered instead of a result; its message is for the user. */
export class ApiError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** @returns {Promise<Response>} */
async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is minmaxvrp serve still running?", 0);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new ApiError(body.error ?? `The server answered ${response.status}.`, response.status);
}

const json = async (path, options) => (await call(path, options)).json();
const post = (body) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

export const health = () => json("api/health");
export const examples = () => json("api/examples");
export const formats = () => json("api/formats");
export const example = (name) => json(`api/examples/${encodeURIComponent(name)}`);
/** @param {any} plan a document, or the text of a file @param {string} name of the file, whose ending says the format */
export const check = (instance, plan, name) => json("api/check", post({ instance, plan, name }));
export const createJob = (instance, options) => json("api/jobs", post({ instance, options }));
export const endJob = (id) => json(`api/jobs/${id}`, { method: "DELETE" });

/** The instance in a file. @param {Blob} file @param {string} name @param {string} speed in km/h, or empty */
export const readFile = (file, name, speed) =>
  json(`api/read?name=${encodeURIComponent(name)}${speed ? `&speed=${encodeURIComponent(speed)}` : ""}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: file,
  });

/** A plan in a format of `formats()`. @returns {Promise<Blob>} */
export const exportPlan = async (format, instance, plan) =>
  (await call(`api/export/${encodeURIComponent(format)}`, post({ instance, plan }))).blob();

/**
 * Listen to a job until it ends.
 * @param {string} id
 * @param {Record<string, (data: any) => void>} hear a function per kind of event; `lost` when the
 *   connection is gone for good
 * @returns {() => void} stops listening
 */
export function listen(id, hear) {
  const source = new EventSource(`api/jobs/${id}/events`);
  for (const kind of ["status", "progress", "result", "failed"]) {
    source.addEventListener(kind, (event) => {
      if (kind === "result" || kind === "failed") source.close();
      hear[kind]?.(JSON.parse(/** @type {MessageEvent} */ (event).data));
    });
  }
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) hear.lost?.({}); // otherwise the browser connects again
  };
  return () => source.close();
}
