pub struct SubStore;
