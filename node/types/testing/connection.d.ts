/**
 * The program for this directory and environment, which is started with its first use.
 * @param {string} [config]
 * @returns {Promise<Connection>}
 * @throws {ProgramError} If it cannot be started.
 */
export function connection(config?: string): Promise<Connection>;
/**
 * Starts the program before somebody asks for it: a test file is imported without a limit of time, and each of its tests has one.
 * An error is told to whoever asks.
 */
export function startEarly(): void;
/**
 * The path of a config, as the program takes it.
 * @param {string | URL | undefined} config
 * @returns {string | undefined}
 */
export function configPath(config: string | URL | undefined): string | undefined;
/**
 * What answers the requests of the program about one session. It must not wait and not throw.
 * @typedef {object} Callbacks
 * @property {(request: number, method: string, params: any) => void} begin
 * @property {(request: number) => void} cancel
 */
/**
 * A request that has no answer yet.
 * @typedef {object} PendingRequest
 * @property {(result: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((notice: any) => void) | undefined} onResult
 */
/** A running program. It keeps Node alive only while a request waits for its answer, and ends with Node. */
export class Connection {
    /**
     * A program that knows its config.
     * @param {string | undefined} config
     */
    static start(config: string | undefined): Promise<Connection>;
    /** What answers for a test with an agent of this process. @type {((session: string, agent: string) => Callbacks) | undefined} */
    onTestSession: ((session: string, agent: string) => Callbacks) | undefined;
    /** Whether the program has ended. */
    get isOver(): boolean;
    /** Whether no session needs the program. */
    get isIdle(): boolean;
    /**
     * Sends a request, and waits for its answer. `onResult` gets the results of its tests.
     * @param {string} method
     * @param {{ [key: string]: unknown }} params
     * @param {(notice: any) => void} [onResult]
     * @returns {Promise<any>}
     */
    call(method: string, params: {
        [key: string]: unknown;
    }, onResult?: (notice: any) => void): Promise<any>;
    /**
     * Sends a request whose answer does not matter.
     * @param {string} method
     * @param {{ [key: string]: unknown }} params
     */
    send(method: string, params: {
        [key: string]: unknown;
    }): void;
    /**
     * Sends a notification.
     * @param {string} method
     * @param {{ [key: string]: unknown }} params
     * @throws {TypeError} If it is not JSON, or too long.
     */
    notify(method: string, params: {
        [key: string]: unknown;
    }): void;
    /**
     * Hands requests about a session to `callbacks`.
     * @param {string} session
     * @param {Callbacks} callbacks
     */
    attach(session: string, callbacks: Callbacks): void;
    /**
     * Ends what `attach` began.
     * @param {string} session
     */
    detach(session: string): void;
    /**
     * Answers a request of the program.
     * @param {number} id
     * @param {{ [key: string]: unknown }} result
     * @throws {TypeError} If the result is not JSON, or too long.
     */
    answer(id: number, result: {
        [key: string]: unknown;
    }): void;
    /**
     * Answers a request of the program with an error.
     * @param {number} id
     * @param {string} message
     */
    refuse(id: number, message: string): void;
    /** Ends the program and everything that it holds. It may be called twice. */
    close(): Promise<void>;
    #private;
}
/**
 * What answers the requests of the program about one session. It must not wait and not throw.
 */
export type Callbacks = {
    begin: (request: number, method: string, params: any) => void;
    cancel: (request: number) => void;
};
/**
 * A request that has no answer yet.
 */
export type PendingRequest = {
    resolve: (result: any) => void;
    reject: (error: Error) => void;
    onResult: ((notice: any) => void) | undefined;
};
